// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs rely on in a private zero mapping holds for every backing. Each case
 * is what some program does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "loop_device.h"
#include "proc.h"
#include "zeropage.h"

#define PAGES	8
#define RW	(PROT_READ | PROT_WRITE)
#define RWX	(RW | PROT_EXEC)
#define GIB	(1024UL * 1024 * 1024)

FIXTURE(semantics) {
	size_t page;
	size_t len;
	char *map;
	int fd;
};

FIXTURE_VARIANT(semantics) {
	const struct backing *backing;
};

ALL_BACKINGS(semantics);

FIXTURE_SETUP(semantics)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	OPEN_BACKING(self->fd, O_RDWR);
	self->map = backing_map(self->fd, free_range(self->len), self->len, RW,
				MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(semantics)
{
}

/* Fills page i of the mapping with i + 1. */
static void fill(char *map, size_t page)
{
	int i;

	for (i = 0; i < PAGES; i++)
		memset(map + i * page, i + 1, page);
}

static bool is_filled(const char *page, size_t size, char with)
{
	return *page == with && !memcmp(page, page + 1, size - 1);
}

/* Case 1: single pages are unmapped, and the others keep their bytes. */
TEST_F(semantics, unmap_subset)
{
	int i;

	fill(self->map, self->page);
	for (i = 1; i < PAGES; i += 2)
		ASSERT_EQ(0, munmap(self->map + i * self->page, self->page));
	for (i = 0; i < PAGES; i += 2)
		EXPECT_TRUE(is_filled(self->map + i * self->page, self->page,
				      i + 1));
	EXPECT_EQ(PAGES / 2, proc_count_vmas(self->map, self->len));
}

/* Case 1: one munmap() unmaps two adjacent blocks that two mmap() made. */
TEST_F(semantics, unmap_two_blocks)
{
	char *second = self->map + self->len;

	ASSERT_EQ(second, backing_map(self->fd, second, self->page, RW,
				      MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0));
	ASSERT_EQ(0, munmap(self->map, self->len + self->page));
	EXPECT_EQ(0, proc_count_vmas(self->map, self->len + self->page));
}

/* Case 2: garbage collectors give pages back by mapping over them. */
TEST_F(semantics, map_over_half)
{
	int i;

	fill(self->map, self->page);
	ASSERT_EQ(self->map, backing_map(self->fd, self->map, self->len / 2, RW,
					 MAP_PRIVATE | MAP_FIXED, 0));
	EXPECT_TRUE(is_filled(self->map, self->len / 2, 0));
	for (i = PAGES / 2; i < PAGES; i++)
		EXPECT_TRUE(is_filled(self->map + i * self->page, self->page,
				      i + 1));
}

/* Case 3: a trampoline, here "mov $42,%eax; ret", is written and called. */
TEST_F(semantics, run_code_from_read_only_fd)
{
	static const unsigned char code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };
	void *page;
	int fd;

#ifndef __x86_64__
	SKIP(return, "the code is for x86-64");
#endif
	OPEN_BACKING(fd, O_RDONLY);
	page = backing_map(fd, NULL, self->page, RWX, MAP_PRIVATE, 0);
	ASSERT_NE(MAP_FAILED, page);
	memcpy(page, code, sizeof(code));
	EXPECT_EQ(42, ((int (*)(void))page)());
}

/* Case 5: mmap(2) refuses these requests of a device. */
TEST_F(semantics, refused_requests)
{
	int fd;

	if (!variant->backing->device)
		return;
	OPEN_BACKING(fd, O_WRONLY);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, PROT_WRITE, MAP_PRIVATE,
				   fd, 0));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, MAP_PRIVATE |
				   MAP_GROWSDOWN, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2UL << 20, RW, MAP_PRIVATE |
				   MAP_HUGETLB, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, MAP_SHARED_VALIDATE |
				   MAP_SYNC, self->fd, 0));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

/* Case 6: the offset means nothing, but mmap(2) checks it for overflow. */
TEST_F(semantics, huge_offset)
{
	char *map = backing_map(self->fd, NULL, GIB, PROT_READ, MAP_PRIVATE,
				1L << 40);

	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, map[GIB - 1]);
	if (!variant->backing->device)
		return;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, GIB, PROT_READ, MAP_PRIVATE, self->fd,
				   -self->page));
	EXPECT_EQ(EOVERFLOW, errno);
}

/* Case 7: mmap(2) refuses what is not page-aligned. */
TEST_F(semantics, unaligned)
{
	EXPECT_EQ(MAP_FAILED, backing_map(self->fd, self->map + 1, self->page,
					  RW, MAP_PRIVATE | MAP_FIXED, 0));
	EXPECT_EQ(EINVAL, errno);
	if (!variant->backing->device)
		return;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, MAP_PRIVATE, self->fd,
				   1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(self->map + 1, self->page, RW, MAP_SHARED |
				   MAP_FIXED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
}

/* Case 11: every page read is the shared zero page, which costs no memory. */
TEST_F_TIMEOUT(semantics, read_maps_zero_page, 120)
{
	long pages = GIB / self->page;
	char *map = backing_map(self->fd, NULL, GIB, PROT_READ, MAP_PRIVATE, 0);
	long i;

	ASSERT_NE(MAP_FAILED, map);
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	EXPECT_EQ(0, zeropage_count_own(map, GIB));
	for (i = 0; i < pages; i++)
		ASSERT_EQ(0, map[i * self->page]);
	EXPECT_EQ(pages, zeropage_count_own(map, GIB));
	EXPECT_GE(16, proc_smaps_kb(map, "Rss"));
}

/* Case 12: a device writes into pages of the mapping, as by DMA. */
TEST_F(semantics, o_direct_read)
{
	int disk = loop_device_open(self->len, 0x77);

	if (disk < 0)
		SKIP(return, "cannot make a loop device (modprobe loop?): %s",
		     strerror(errno));
	fill(self->map, self->page);
	ASSERT_EQ((ssize_t)self->page, pread(disk, self->map, self->page, 0));
	EXPECT_TRUE(is_filled(self->map, self->page, 0x77));
	EXPECT_TRUE(is_filled(self->map + self->page, self->page, 2));
	close(disk);
}

TEST_F(semantics, vmsplice)
{
	struct iovec iov = { self->map, self->len };
	char back[self->len];
	int pipe_fds[2];

	fill(self->map, self->page);
	ASSERT_EQ(0, pipe(pipe_fds));
	ASSERT_EQ((ssize_t)self->len, vmsplice(pipe_fds[1], &iov, 1, 0));
	ASSERT_EQ((ssize_t)self->len, read(pipe_fds[0], back, self->len));
	EXPECT_EQ(0, memcmp(self->map, back, self->len));
}

TEST_F(semantics, process_vm_readv)
{
	char back[self->len];
	struct iovec local = { back, self->len };
	struct iovec remote = { self->map, self->len };

	fill(self->map, self->page);
	ASSERT_EQ((ssize_t)self->len,
		  process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
	EXPECT_EQ(0, memcmp(self->map, back, self->len));
}

/* Case 14: a child sees the parent's bytes, and neither sees the other's writes. */
TEST_F(semantics, fork_copies)
{
	int to_child[2], to_parent[2];
	char byte;
	pid_t pid;

	*self->map = 1;
	ASSERT_EQ(0, pipe(to_child));
	ASSERT_EQ(0, pipe(to_parent));
	pid = fork();
	if (!pid) {
		bool seen = *self->map == 1;

		self->map[1] = 2;
		if (write(to_parent[1], "", 1) != 1 ||
		    read(to_child[0], &byte, 1) != 1)
			_exit(2);
		_exit(!(seen && *self->map == 1));
	}
	ASSERT_EQ(1, read(to_parent[0], &byte, 1));
	EXPECT_EQ(0, self->map[1]);
	*self->map = 3;
	ASSERT_EQ(1, write(to_child[1], "", 1));
	EXPECT_EQ(0, exit_status(pid));
}

TEST_F(semantics, vfork_shares)
{
	volatile char *map = self->map;
	pid_t pid;

	*map = 1;
	pid = vfork();
	if (!pid) {
		*map = 2;
		_exit(0);
	}
	EXPECT_EQ(0, exit_status(pid));
	EXPECT_EQ(2, *map);
}

/* /dev/anonzero has a thousand children, and the others, to compare, a hundred. */
TEST_F_TIMEOUT(semantics, thousand_children, 120)
{
	int tens = variant->backing == &backing_anonzero ? 100 : 10;
	pid_t pids[10];
	int i, j;

	fill(self->map, self->page);
	for (i = 0; i < tens; i++) {
		for (j = 0; j < 10; j++) {
			pids[j] = fork();
			ASSERT_GE(pids[j], 0);
			if (!pids[j]) {
				*self->map = 0;
				_exit(self->map[self->page]);
			}
		}
		for (j = 0; j < 10; j++)
			ASSERT_EQ(2, exit_status(pids[j]));
	}
	EXPECT_EQ(1, *self->map);
}

/* Each test makes another node of the device, on a file system of its own. */
FIXTURE(noexec) {
	size_t page;
	char dir[32];
	int fd;
};

FIXTURE_VARIANT(noexec) {
	const struct backing *backing;
};

DEVICE_BACKINGS(noexec);

FIXTURE_SETUP(noexec)
{
	self->page = getpagesize();
	snprintf(self->dir, sizeof(self->dir), "/tmp/anonzero.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->fd = -1;
}

FIXTURE_TEARDOWN(noexec)
{
	if (self->fd >= 0)
		close(self->fd);
	umount(self->dir);
	rmdir(self->dir);
}

#define OPEN_NODE(flags) do {						\
	self->fd = backing_open_node(variant->backing, self->dir, (flags)); \
	if (self->fd < 0)						\
		SKIP(return, "cannot make %s on a tmpfs: %s", variant->backing->path, \
		     strerror(errno));					\
} while (0)

/* Case 4: the mount forbids to execute, also after the file was dropped. */
TEST_F(noexec, noexec_mount)
{
	char *map;

	OPEN_NODE(MS_NOEXEC);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, PROT_READ | PROT_EXEC,
				   MAP_PRIVATE, self->fd, 0));
	EXPECT_EQ(EPERM, errno);
	map = mmap(NULL, self->page, RW, MAP_PRIVATE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-1, mprotect(map, self->page, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(noexec, exec_mount)
{
	char *map;

	OPEN_NODE(0);
	map = mmap(NULL, self->page, RWX, MAP_PRIVATE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, mprotect(map, self->page, PROT_READ | PROT_EXEC));
}

TEST_HARNESS_MAIN
