// SPDX-License-Identifier: GPL-2.0-only
/*
 * Anonymous and shared mappings hold no reference to the opened file, and so none to
 * the module. Each open file counts in the module's use count, which so shows when
 * the file is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "module.h"
#include "proc.h"

#define NR_MAPS	100
#define MANY	400

FIXTURE(refcount) {
	size_t page;
	long before;
	long opened;
	char *maps[NR_MAPS];
	int fd;
};

FIXTURE_VARIANT(refcount) {
	const struct backing *backing;
};

BACKING_VARIANT(refcount, anonzero);
BACKING_VARIANT(refcount, anon);
BACKING_VARIANT(refcount, hybrid);

FIXTURE_SETUP(refcount)
{
	self->page = getpagesize();
	self->before = module_use_count();
	OPEN_BACKING(self->fd, O_RDWR);
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	self->opened = module_use_count();
	ASSERT_LT(self->before, self->opened);
}

FIXTURE_TEARDOWN(refcount)
{
}

/* Maps and writes a page NR_MAPS times, and returns how often that worked. */
static int map_all(int fd, char **maps, size_t page)
{
	int i;

	for (i = 0; i < NR_MAPS; i++) {
		maps[i] = backing_map(fd, NULL, page, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE, 0);
		if (maps[i] == MAP_FAILED)
			break;
		*maps[i] = 1;
	}
	return i;
}

static void unmap_all(char **maps, size_t page)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		munmap(maps[i], page);
}

/* Only the hybrid's mappings keep the file when the descriptor is closed. */
TEST_F(refcount, close_first)
{
	ASSERT_EQ(NR_MAPS, map_all(self->fd, self->maps, self->page));
	EXPECT_EQ(self->opened, module_use_count());
	close(self->fd);
	EXPECT_EQ(variant->backing->anonymous ? self->before : self->opened,
		  module_use_count());
	unmap_all(self->maps, self->page);
	EXPECT_EQ(self->before, module_use_count());
}

/* A reference put once too often would free the file under the descriptor. */
TEST_F(refcount, unmap_first)
{
	char byte = 1;

	ASSERT_EQ(NR_MAPS, map_all(self->fd, self->maps, self->page));
	unmap_all(self->maps, self->page);
	EXPECT_EQ(self->opened, module_use_count());
	EXPECT_EQ(1, read(self->fd, &byte, 1));
	EXPECT_EQ(0, byte);
	close(self->fd);
	EXPECT_EQ(self->before, module_use_count());
}

/* A shared mapping does not keep the file, as it has a file of its own. */
TEST_F(refcount, shared)
{
	char *map = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->fd, 0);

	ASSERT_NE(MAP_FAILED, map);
	close(self->fd);
	EXPECT_EQ(self->before, module_use_count());
	*map = 1;
	munmap(map, self->page);
	EXPECT_EQ(self->before, module_use_count());
}

/*
 * Reads the kernel's count of open files. Each CPU counts for itself, so the sum may
 * be off by some dozens.
 */
static long count_files(void)
{
	return proc_number("/proc/sys/fs/file-nr");
}

/* The file of a shared mapping goes with it. */
TEST_F(refcount, shared_file_goes)
{
	char *maps[MANY];
	long files = count_files();
	int i;

	for (i = 0; i < MANY; i++)
		maps[i] = mmap(NULL, self->page, PROT_READ | PROT_WRITE,
			       MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, maps[MANY - 1]);
	EXPECT_LT(files + MANY / 2, count_files());
	for (i = 0; i < MANY; i++)
		munmap(maps[i], self->page);
	EXPECT_GT(files + MANY / 2, count_files());
}

/* An mmap(2) that fails does not keep the file. */
TEST_F(refcount, failed_map)
{
	void *map = mmap(NULL, -(2 * self->page), PROT_READ, MAP_PRIVATE,
			 self->fd, 0);

	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_EQ(ENOMEM, errno);
	close(self->fd);
	EXPECT_EQ(self->before, module_use_count());
}

TEST_HARNESS_MAIN
