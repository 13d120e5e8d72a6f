// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each MAP_SHARED mapping of a zero device is a shmem object of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "proc.h"

#define RW (PROT_READ | PROT_WRITE)

FIXTURE(shared) {
	size_t page;
	char *map;
	int fd;
};

FIXTURE_VARIANT(shared) {
	const struct backing *backing;
};

DEVICE_BACKINGS(shared);

FIXTURE_SETUP(shared)
{
	self->page = getpagesize();
	OPEN_BACKING(self->fd, O_RDWR);
	self->map = mmap(NULL, self->page, RW, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(shared)
{
}

TEST_F(shared, child_and_parent_share)
{
	int status;
	pid_t pid;

	*self->map = 1;
	pid = fork();
	if (!pid) {
		self->map[1] = *self->map + 1;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(2, self->map[1]);
}

TEST_F(shared, maps_do_not_share)
{
	char *other = mmap(NULL, self->page, RW, MAP_SHARED, self->fd, 0);

	ASSERT_NE(MAP_FAILED, other);
	*self->map = 1;
	EXPECT_EQ(0, *other);
}

TEST_F(shared, maps_line)
{
	struct vma vma;

	ASSERT_TRUE(proc_vma(self->map, &vma));
	EXPECT_STREQ("rw-s", vma.perms);
	EXPECT_STREQ("/dev/zero (deleted)", vma.name);
}

static sigjmp_buf bus_error;

static void on_bus_error(int signal)
{
	siglongjmp(bus_error, 1);
}

static bool touch_is_bus_error(volatile char *byte)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigaction(SIGBUS, &action, NULL);
	if (sigsetjmp(bus_error, 1))
		return true;
	*byte = 1;
	return false;
}

/*
 * The object is only as long as the mapping, so a mapping at an offset reaches past
 * its end.
 */
TEST_F(shared, offset_is_past_the_object)
{
	char *two = mmap(NULL, 2 * self->page, RW, MAP_SHARED, self->fd,
			 self->page);

	ASSERT_NE(MAP_FAILED, two);
	EXPECT_FALSE(touch_is_bus_error(two));
	EXPECT_TRUE(touch_is_bus_error(two + self->page));
}

TEST_F(shared, shared_validate)
{
	char *map = mmap(NULL, self->page, RW, MAP_SHARED_VALIDATE, self->fd, 0);
	struct vma vma;

	ASSERT_NE(MAP_FAILED, map);
	*map = 1;
	ASSERT_TRUE(proc_vma(map, &vma));
	EXPECT_STREQ("rw-s", vma.perms);
}

TEST_F(shared, file_backed_rss)
{
	*self->map = 1;
	EXPECT_EQ(0, proc_smaps_kb(self->map, "Anonymous"));
	EXPECT_EQ((long)self->page / 1024, proc_smaps_kb(self->map, "Rss"));
}

TEST_F(shared, read_only_fd)
{
	char *map;
	int fd;

	OPEN_BACKING(fd, O_RDONLY);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, MAP_SHARED, fd, 0));
	EXPECT_EQ(EACCES, errno);
	map = mmap(NULL, self->page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, *map);
	EXPECT_EQ(-1, mprotect(map, self->page, RW));
	EXPECT_EQ(EACCES, errno);
}

/*
 * The mapping has VM_MAYSHARE without VM_SHARED. The module takes it for shared, as
 * /dev/zero does from 7.3 on; before, /dev/zero took it for private.
 */
TEST_F(shared, read_only_fd_is_shmem)
{
	struct vma vma;
	char *map;
	int fd;

	OPEN_BACKING(fd, O_RDONLY);
	map = mmap(NULL, self->page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(proc_vma(map, &vma));
	EXPECT_STREQ("r--s", vma.perms);
	EXPECT_STREQ(variant->backing == &backing_zero && !kernel_at_least(7, 3) ?
		     "/dev/zero" : "/dev/zero (deleted)", vma.name);
}

TEST_HARNESS_MAIN
