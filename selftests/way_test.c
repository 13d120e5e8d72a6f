// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in which mappings of the design "anon" become anonymous memory, where
 * ->mmap must not make them so: by the probe at do_mmap(), or by core mm.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "module.h"
#include "origin.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"

FIXTURE(way) {
	enum module_way way;
	size_t page;
	char dir[32];
	int log;
};

FIXTURE_SETUP(way)
{
	self->page = getpagesize();
	self->way = module_way();
	self->log = log_mark();
	snprintf(self->dir, sizeof(self->dir), "/tmp/anonzero.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	if (geteuid() || !module_loaded())
		SKIP(return, "needs root, and the module");
	if (self->way == WAY_HOOK)
		SKIP(return, "mappings are made anonymous in ->mmap here");
}

FIXTURE_TEARDOWN(way)
{
	umount2(self->dir, MNT_DETACH);
	rmdir(self->dir);
	if (!module_loaded())
		EXPECT_EQ(0, module_load(module_parameters()));
}

static char *map_page(int fd, size_t page)
{
	return mmap(NULL, page, RW, MAP_PRIVATE, fd, 0);
}

/* There is no other way, so merge cannot be switched off. */
TEST_F(way, merge_stays_on)
{
	EXPECT_TRUE(module_is_on("merge"));
	EXPECT_EQ(EOPNOTSUPP, module_switch("merge", false));
	EXPECT_EQ(1, log_lines(self->log));
	EXPECT_TRUE(module_is_on("merge"));
	EXPECT_EQ(0, module_switch("merge", true));
}

/* What the probe leaves alone, such as a node on a noexec mount, keeps its file. */
TEST_F(way, left_alone)
{
	int plain = open("/dev/anonzero", O_RDWR | O_CLOEXEC), noexec;
	long hybrids = origin_hybrids();

	if (self->way != WAY_PROBE)
		SKIP(return, "core mm leaves no mapping alone");
	noexec = backing_open_node(&backing_anonzero, self->dir, MS_NOEXEC);
	if (noexec < 0)
		SKIP(return, "no node on a tmpfs: %s", strerror(errno));
	ASSERT_LE(0, hybrids);
	EXPECT_TRUE(proc_is_anonymous(map_page(plain, self->page)));
	EXPECT_EQ(hybrids, origin_hybrids());
	EXPECT_FALSE(proc_is_anonymous(map_page(noexec, self->page)));
	EXPECT_EQ(hybrids + 1, origin_hybrids());
}

/* Where there is no probe either, there is no module. */
TEST_F(way, no_probe_no_module)
{
	if (self->way != WAY_PROBE)
		SKIP(return, "core mm needs no probe");
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	ASSERT_EQ(0, module_unload());
	if (proc_write(FTRACE_ENABLED, "0"))
		SKIP(return, "ftrace cannot be disabled here");
	log_lines(self->log);
	EXPECT_EQ(EOPNOTSUPP, module_load(""));
	EXPECT_EQ(1, log_lines(self->log));
	EXPECT_NE(0, access("/dev/anonzero", F_OK));
	ASSERT_EQ(0, proc_write(FTRACE_ENABLED, "1"));
}

/* Core mm takes no anonymous VMA from a driver: such designs are refused in words. */
TEST_F(way, designs_of_the_hook)
{
	static const char *const refused[] = { "design=hybrid", "design=sharded" };
	size_t i;

	if (self->way != WAY_CORE)
		SKIP(return, "->mmap may make a hybrid here");
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	EXPECT_NE(0, access(backing_hybrid.path, F_OK));
	EXPECT_NE(0, access(backing_sharded.path, F_OK));
	EXPECT_EQ(0, access(backing_anon.path, F_OK));
	ASSERT_EQ(0, module_unload());
	log_lines(self->log);
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(EOPNOTSUPP, module_load(refused[i]));
		EXPECT_EQ(1, log_lines(self->log));
	}
	EXPECT_EQ(0, module_load("design=fault"));
	EXPECT_EQ(0, module_unload());
}

/* Private mappings of /dev/zero are anonymous already, and stay so. */
TEST_F(way, nothing_to_adopt)
{
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);

	if (self->way != WAY_CORE)
		SKIP(return, "there is something to adopt");
	EXPECT_EQ(0, module_switch("adopt", true));
	EXPECT_EQ(1, log_lines(self->log));
	EXPECT_FALSE(module_is_on("adopt"));
	EXPECT_TRUE(proc_is_anonymous(map_page(zero, self->page)));
}

/* An open file is of /dev/zero, and yet holds the module until it is closed. */
TEST_F(way, open_file_holds_module)
{
	int fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	char *map = map_page(fd, self->page);

	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	ASSERT_NE(MAP_FAILED, map);
	*map = 7;
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	close(fd);
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(7, *map);
	EXPECT_TRUE(proc_is_anonymous(map));
}

TEST_HARNESS_MAIN
