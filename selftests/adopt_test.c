// SPDX-License-Identifier: GPL-2.0-only
/*
 * With adopt=1 new private mappings of the system's own /dev/zero are anonymous,
 * however it was opened. Nothing else changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "module.h"
#include "proc.h"
#include "trace.h"

#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"
#define RW		(PROT_READ | PROT_WRITE)
#define NR_MAPPERS	2
#define NR_TOGGLERS	2
#define SECONDS		5

FIXTURE(adopt) {
	size_t page;
	struct switches was;
	char dir[32];
	int zero;
};

FIXTURE_SETUP(adopt)
{
	static const struct switches adopting = { .adopt = true };

	self->page = getpagesize();
	self->was = switches_read();
	if (switches_set(adopting))
		SKIP(return, "cannot switch adopt: %s", strerror(errno));
	snprintf(self->dir, sizeof(self->dir), "/tmp/anonzero.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->zero);
}

FIXTURE_TEARDOWN(adopt)
{
	switches_set(self->was);
	umount2(self->dir, MNT_DETACH);
	rmdir(self->dir);
}

/* Maps a private page with nothing beside it. */
static char *map_page(int fd, size_t page, int prot)
{
	return mmap(free_range(page), page, prot,
		    MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
}

/* A mapping stays what it is when the parameter is switched. */
TEST_F(adopt, only_new_mappings)
{
	char *adopted = map_page(self->zero, self->page, RW);
	char *hybrid, *again;

	ASSERT_NE(MAP_FAILED, adopted);
	*adopted = 1;
	EXPECT_TRUE(proc_is_anonymous(adopted));

	ASSERT_EQ(0, module_switch("adopt", false));
	hybrid = map_page(self->zero, self->page, RW);
	ASSERT_NE(MAP_FAILED, hybrid);
	*hybrid = 2;
	EXPECT_FALSE(proc_is_anonymous(hybrid));
	EXPECT_TRUE(proc_is_anonymous(adopted));

	ASSERT_EQ(0, module_switch("adopt", true));
	again = map_page(self->zero, self->page, RW);
	ASSERT_NE(MAP_FAILED, again);
	EXPECT_TRUE(proc_is_anonymous(again));
	EXPECT_FALSE(proc_is_anonymous(hybrid));
	EXPECT_EQ(1, *adopted);
	EXPECT_EQ(2, *hybrid);
}

/* do_mmap() treats these flags alike with a file and without; others it does not. */
TEST_F(adopt, flags)
{
	static const int taken[] = {
		MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_LOCKED, MAP_NORESERVE,
		MAP_POPULATE, MAP_POPULATE | MAP_NONBLOCK, MAP_STACK, MAP_32BIT,
	};
	/* A bit that means nothing yet may mean something to files one day. */
	static const int left[] = { 1 << 27, MAP_STACK | 1 << 27 };
	char *area = free_range(self->page), *map;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(taken); i++) {
		map = mmap(taken[i] & MAP_32BIT ? NULL : area, self->page, RW,
			   MAP_PRIVATE | taken[i], self->zero, 0);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_TRUE(proc_is_anonymous(map));
		munmap(map, self->page);
	}
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		map = mmap(area, self->page, RW, MAP_PRIVATE | left[i],
			   self->zero, 0);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_FALSE(proc_is_anonymous(map));
		munmap(map, self->page);
	}
}

/* A node is adopted by its device number, whatever its name is. */
TEST_F(adopt, node_of_ones_own)
{
	int fd = backing_open_node(&backing_zero, self->dir, 0);

	if (fd < 0)
		SKIP(return, "cannot make a node on a tmpfs: %s", strerror(errno));
	EXPECT_TRUE(proc_is_anonymous(map_page(fd, self->page, RW)));
}

TEST_F(adopt, bind_mounted)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/node", self->dir);
	ASSERT_LE(0, backing_open_node(&backing_hybrid, self->dir, 0));
	if (mount("/dev/zero", path, NULL, MS_BIND, NULL))
		SKIP(return, "cannot bind-mount /dev/zero: %s", strerror(errno));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	EXPECT_TRUE(proc_is_anonymous(map_page(fd, self->page, RW)));
	umount(path);
}

/* The file was opened before the switch, and for reading only. */
TEST_F(adopt, whenever_it_was_opened)
{
	int fd;

	ASSERT_EQ(0, module_switch("adopt", false));
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_EQ(0, module_switch("adopt", true));
	EXPECT_TRUE(proc_is_anonymous(map_page(fd, self->page, RW)));
}

/* A node on a noexec mount is not adopted, and what is forbidden stays so. */
TEST_F(adopt, noexec_mount)
{
	int fd = backing_open_node(&backing_zero, self->dir, MS_NOEXEC);
	char *map;

	if (fd < 0)
		SKIP(return, "cannot make a node on a tmpfs: %s", strerror(errno));
	map = map_page(fd, self->page, RW);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_FALSE(proc_is_anonymous(map));
	EXPECT_EQ(-1, mprotect(map, self->page, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, map_page(fd, self->page, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EPERM, errno);
}

TEST_F(adopt, shared_is_not_touched)
{
	char *map = mmap(NULL, self->page, RW, MAP_SHARED, self->zero, 0);
	struct vma vma;

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(proc_vma(map, &vma));
	EXPECT_STREQ("rw-s", vma.perms);
	EXPECT_STREQ("/dev/zero (deleted)", vma.name);
}

TEST_F(adopt, hybrid_node_is_not_touched)
{
	int fd = open("/dev/anonzero-hybrid", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		SKIP(return, "needs variants=1");
	ASSERT_EQ(0, module_switch("merge", true));
	EXPECT_FALSE(proc_is_anonymous(map_page(fd, self->page, RW)));
}

/* A regular file is mapped with its own bytes. */
TEST_F(adopt, other_files_are_not_touched)
{
	char path[64], *map;
	int fd;

	snprintf(path, sizeof(path), "%s/file", self->dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(5, write(fd, "bytes", 5));
	ASSERT_EQ(0, module_switch("merge", true));
	map = map_page(fd, self->page, RW);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_FALSE(proc_is_anonymous(map));
	EXPECT_EQ(0, memcmp(map, "bytes", 5));
	unlink(path);
}

/* Unloading the module switches adopt off. */
TEST_F(adopt, goes_with_the_module)
{
	char *adopted = map_page(self->zero, self->page, RW), *hybrid;
	const char *reason;

	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	*adopted = 1;
	ASSERT_EQ(0, module_unload());
	hybrid = map_page(self->zero, self->page, RW);
	EXPECT_FALSE(proc_is_anonymous(hybrid));
	EXPECT_TRUE(proc_is_anonymous(adopted));
	EXPECT_EQ(1, *adopted);
	reason = module_load_or_reason();
	EXPECT_EQ(NULL, reason);
}

/* A kprobe at the entry of do_mmap() still gets the call, which is adopted. */
TEST_F(adopt, beside_a_kprobe)
{
	static const struct probe probe = {
		.name = "map", .symbols = { "do_mmap" }, .fetch = "",
	};
	const char *reason = trace_open(&probe, 1);
	int events = 0;
	char line[512];
	FILE *record;

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, trace_start(getpid()));
	EXPECT_TRUE(proc_is_anonymous(map_page(self->zero, self->page, RW)));
	record = trace_stop();
	ASSERT_NE(NULL, record);
	while (fgets(line, sizeof(line), record))
		events += trace_is(line, probe.name);
	fclose(record);
	trace_close();
	EXPECT_LE(1, events);
}

/* adopt needs ftrace, which cannot be disabled while adopt is on. */
TEST_F(adopt, keeps_ftrace_on)
{
	if (access(FTRACE_ENABLED, W_OK))
		SKIP(return, "cannot write " FTRACE_ENABLED);
	EXPECT_EQ(-1, proc_write(FTRACE_ENABLED, "0"));
	EXPECT_EQ(1, proc_number(FTRACE_ENABLED));
	EXPECT_TRUE(proc_is_anonymous(map_page(self->zero, self->page, RW)));
}

TEST_F(adopt, needs_ftrace)
{
	static const struct switches off;
	int log;

	ASSERT_EQ(0, switches_set(off));
	if (proc_write(FTRACE_ENABLED, "0"))
		SKIP(return, "this kernel cannot disable ftrace");
	log = log_mark();
	EXPECT_EQ(EOPNOTSUPP, module_switch("adopt", true));
	EXPECT_EQ(1, log_lines(log));
	EXPECT_FALSE(module_is_on("adopt"));
	EXPECT_FALSE(proc_is_anonymous(map_page(self->zero, self->page, RW)));
	ASSERT_EQ(0, proc_write(FTRACE_ENABLED, "1"));
	EXPECT_EQ(0, module_switch("adopt", true));
	EXPECT_TRUE(proc_is_anonymous(map_page(self->zero, self->page, RW)));
}

/* Maps pages of both devices by turns, over each other and beside each other. */
static int mapper(size_t page, int seconds)
{
	static const char *const paths[] = { "/dev/zero", "/dev/anonzero" };
	char *area = free_range(16 * page), *map;
	int fds[2] = { open(paths[0], O_RDWR), open(paths[1], O_RDONLY) };
	time_t end = time(NULL) + seconds;
	int turn;

	for (turn = 0; time(NULL) < end; turn++) {
		map = mmap(area + turn * 3 % 16 * page, page, RW,
			   MAP_PRIVATE | MAP_FIXED, fds[turn & 1], 0);
		if (map == MAP_FAILED)
			return 1;
		if (*map)
			return 2;
		memset(map, 1 + turn % 100, page);
		if (turn % 7 == 0)
			mprotect(area, 16 * page, RW);
		if (map[page - 1] != 1 + turn % 100)
			return 3;
	}
	return turn < 10 ? 4 : 0;
}

static int toggler(const char *parameter, int seconds)
{
	time_t end = time(NULL) + seconds;
	int turn, ret = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (turn = 0; !ret && (turn < 4 || time(NULL) < end); turn++)
		ret = module_switch(parameter, turn & 1);
	return ret;
}

/* Two processes switch adopt, and one switches merge, while others map. */
TEST_F_TIMEOUT(adopt, toggled_under_mappers, 60)
{
	pid_t pids[NR_MAPPERS + NR_TOGGLERS + 1];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		_exit(i < NR_MAPPERS ? mapper(self->page, SECONDS) :
		      i < NR_MAPPERS + NR_TOGGLERS ? toggler("adopt", SECONDS) :
		      toggler("merge", SECONDS));
	}
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		EXPECT_EQ(0, exit_status(pids[i]));
}

TEST_HARNESS_MAIN
