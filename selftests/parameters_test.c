// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's parameters, and what the log says of them. Loads and unloads the
 * module, and leaves it loaded with module_parameters().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "module.h"
#include "proc.h"

#define RW	(PROT_READ | PROT_WRITE)
#define PAGES	16
#define TEN	"0123456789"

/* The module is unloaded when a test starts. */
FIXTURE(parameters) {
	size_t len;
	int log;
};

FIXTURE_SETUP(parameters)
{
	const char *reason = module_load_or_reason();

	if (reason)
		SKIP(return, "%s", reason);
	self->len = PAGES * getpagesize();
	ASSERT_EQ(0, module_unload());
	self->log = log_mark();
	ASSERT_LE(0, self->log);
}

FIXTURE_TEARDOWN(parameters)
{
	if (module_path() && !module_loaded())
		module_load(module_parameters());
}

/* A name has up to 79 printable characters, without \`$[], as for prctl(2). */
TEST_F(parameters, bad_names)
{
	static const char *const bad[] = {
		"name=a\\b", "name=a`b", "name=a$b", "name=[", "name=]",
		"name=\"a\tb\"", "name=\x7f", "name=\xc3\xa9",
		"name=" TEN TEN TEN TEN TEN TEN TEN TEN,
	};
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(EINVAL, module_load(bad[i])) {
			TH_LOG("%s", bad[i]);
		}
		EXPECT_EQ(1, log_lines(self->log));
		EXPECT_FALSE(module_loaded());
		EXPECT_EQ(-1, stat("/dev/anonzero", &st));
	}
}

TEST_F(parameters, good_names)
{
	static const char *const good[] = {
		"name=", "name=x", "name=\"a b\"", "name=~!@#%^&*()",
		"name=" TEN TEN TEN TEN TEN TEN TEN "123456789",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, module_load(good[i]));
		ASSERT_EQ(0, module_unload());
	}
}

TEST_F(parameters, one_line_at_load_and_none_in_use)
{
	char byte, *map;
	int fd;

	ASSERT_EQ(0, module_load("variants=1 merge=1"));
	EXPECT_EQ(1, log_lines(self->log));
	fd = open("/dev/anonzero", O_RDWR);
	map = mmap(NULL, self->len, RW, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	memset(map, 1, self->len);
	EXPECT_EQ(1, read(fd, &byte, 1));
	munmap(map, self->len);
	close(fd);
	EXPECT_EQ(0, log_lines(self->log));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(0, log_lines(self->log));
}

/* Without variants=1 there is one node, and no other can be opened. */
TEST_F(parameters, without_variants)
{
	const char *path = "/tmp/anonzero.node";
	struct stat st;

	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, stat("/dev/anonzero", &st));
	EXPECT_EQ(0666, st.st_mode & 07777);
	EXPECT_EQ(-1, access("/dev/anonzero-anon", F_OK));
	EXPECT_EQ(-1, access("/dev/anonzero-hybrid", F_OK));
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600,
			   makedev(major(st.st_rdev), minor(st.st_rdev) + 1)));
	EXPECT_EQ(-1, open(path, O_RDWR));
	EXPECT_EQ(ENXIO, errno);
	unlink(path);
	ASSERT_EQ(0, module_unload());
}

/* The log gets a line when a parameter changes, and none when it stays. */
TEST_F(parameters, one_line_at_a_switch)
{
	static const char *const switches[] = { "merge", "adopt" };
	size_t i;

	ASSERT_EQ(0, module_load(""));
	log_lines(self->log);
	if (module_way() != WAY_HOOK)
		SKIP(return, ALWAYS_MERGED);
	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		EXPECT_FALSE(module_is_on(switches[i]));
		EXPECT_EQ(0, module_switch(switches[i], false));
		EXPECT_EQ(0, log_lines(self->log));
		EXPECT_EQ(0, module_switch(switches[i], true));
		EXPECT_EQ(1, log_lines(self->log));
		EXPECT_TRUE(module_is_on(switches[i]));
	}
	EXPECT_EQ(0, module_switch("merge", false));
	EXPECT_EQ(1, log_lines(self->log));
	/* Unloading switches adopt off, and the log says so. */
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(1, log_lines(self->log));
}

TEST_F(parameters, switched_on_at_load)
{
	ASSERT_EQ(0, module_load("adopt merge=y"));
	EXPECT_EQ(1, log_lines(self->log));
	EXPECT_TRUE(module_is_on("adopt"));
	EXPECT_TRUE(module_is_on("merge"));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(EINVAL, module_load("adopt=maybe"));
	EXPECT_FALSE(module_loaded());
	ASSERT_EQ(0, module_load(""));
	EXPECT_EQ(EINVAL, proc_write("/sys/module/anonzero/parameters/adopt",
				     "maybe") ? errno : 0);
	EXPECT_FALSE(module_is_on("adopt"));
	ASSERT_EQ(0, module_unload());
}

TEST_HARNESS_MAIN
