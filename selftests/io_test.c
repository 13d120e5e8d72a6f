// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call on the device gives the same result, the same errno and the same bytes as
 * on the running kernel's /dev/zero, which is always right.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "fd_calls.h"
#include "uring.h"

#define BUFFER_SIZE	(256UL << 10)
#define KERNEL_ADDRESS	((void *)0xffff888000000000UL)

/*
 * Nothing is mapped behind the buffer. In the test read_only_buffer its last page
 * but one is read-only:
 *
 *     |wwwww ... wwwww|rrrr|wwww|  nothing
 *     buffer                    buffer + BUFFER_SIZE
 */
FIXTURE(io) {
	size_t page;
	char *buffer;
	char *expected;
	int zero;
	int device;
};

FIXTURE_VARIANT(io) {
	const struct backing *backing;
};

BACKING_VARIANT(io, anonzero);
BACKING_VARIANT(io, anon);
BACKING_VARIANT(io, hybrid);

FIXTURE_SETUP(io)
{
	self->page = getpagesize();
	OPEN_BACKING(self->device, O_RDWR);
	self->zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->zero);
	self->buffer = mmap(free_range(BUFFER_SIZE), BUFFER_SIZE,
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			    MAP_FIXED_NOREPLACE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->buffer);
	self->expected = malloc(BUFFER_SIZE);
}

FIXTURE_TEARDOWN(io)
{
}

/* Makes the call with fd set to each of the descriptors, and compares. */
#define SAME(call) do {							\
	long __want, __got;						\
	int fd = self->zero, __errno;					\
									\
	memset(self->buffer, 0xff, BUFFER_SIZE);			\
	errno = 0;							\
	__want = (call);						\
	__errno = errno;						\
	memcpy(self->expected, self->buffer, BUFFER_SIZE);		\
	fd = self->device;						\
	memset(self->buffer, 0xff, BUFFER_SIZE);			\
	errno = 0;							\
	__got = (call);							\
	EXPECT_EQ(__want, __got) {					\
		TH_LOG("result differs: %s", #call);			\
	}								\
	EXPECT_EQ(__errno, errno) {					\
		TH_LOG("errno differs: %s", #call);			\
	}								\
	EXPECT_EQ(0, memcmp(self->expected, self->buffer, BUFFER_SIZE)) { \
		TH_LOG("buffer differs: %s", #call);			\
	}								\
} while (0)

/*
 * A read that must not wait ends early where the scheduler wants the CPU, so take
 * the longest of a few.
 */
#define LONGEST(call) ({						\
	long __longest = -1, __one;					\
	int __i;							\
									\
	for (__i = 0; __i < 5; __i++) {					\
		__one = (call);						\
		if (!__i || __one > __longest)				\
			__longest = __one;				\
	}								\
	__longest;							\
})

static const size_t sizes[] = {
	0, 1, 4095, 4096, 4097, 65536, 65537, BUFFER_SIZE,
};

#define NR_SIZES ARRAY_SIZE(sizes)

TEST_F(io, read)
{
	char *buffer = self->buffer;
	size_t i;

	for (i = 0; i < NR_SIZES; i++) {
		SAME(read(fd, buffer, sizes[i]));
		SAME(read(fd, buffer + 1, sizes[i] / 2));
		SAME(pread(fd, buffer, sizes[i], 0));
		SAME(pread(fd, buffer, sizes[i], 1L << 40));
		SAME(pread(fd, buffer, sizes[i], -1));
	}
	/* The control: read(2) does write zeroes. */
	memset(buffer, 0xff, self->page);
	EXPECT_EQ((ssize_t)self->page, read(self->device, buffer, self->page));
	EXPECT_EQ(0, buffer[self->page - 1]);
}

TEST_F(io, write)
{
	char *buffer = self->buffer;
	size_t i;

	for (i = 0; i < NR_SIZES; i++) {
		SAME(write(fd, buffer, sizes[i]));
		SAME(pwrite(fd, buffer, sizes[i], 0));
		SAME(pwrite(fd, buffer, sizes[i], 1L << 40));
		SAME(pwrite(fd, buffer, sizes[i], -1));
	}
}

/* The pointers are bad at once, after some bytes, or after some pages. */
TEST_F(io, bad_pointers)
{
	char *end = self->buffer + BUFFER_SIZE;
	void *bad[] = {
		NULL, (void *)1, KERNEL_ADDRESS, end, end - 1, end - 4097,
		end - 3 * self->page, end - 2 * self->page - 5,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (j = 0; j < NR_SIZES; j++) {
			SAME(read(fd, bad[i], sizes[j]));
			SAME(write(fd, bad[i], sizes[j]));
		}
		SAME(read(fd, bad[i], SSIZE_MAX));
		SAME(write(fd, bad[i], SSIZE_MAX));
		SAME(read(fd, bad[i], SIZE_MAX));
	}
}

TEST_F(io, read_only_buffer)
{
	char *guard = self->buffer + BUFFER_SIZE - 2 * self->page;
	ssize_t want, got;

	ASSERT_EQ(0, mprotect(guard, self->page, PROT_READ));
	want = read(self->zero, guard - self->page - 7, 4 * self->page);
	got = read(self->device, guard - self->page - 7, 4 * self->page);
	/* 5.10 stops at the end of the page before, which is as right. */
	EXPECT_LT(0, want);
	EXPECT_GE((ssize_t)self->page + 7, want);
	EXPECT_EQ(want, got);
	want = read(self->zero, guard, 1);
	EXPECT_EQ(-1, want);
	EXPECT_EQ(want, read(self->device, guard, 1));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(io, vectors)
{
	char *buffer = self->buffer, *end = buffer + BUFFER_SIZE;
	struct iovec good[] = {
		{ buffer, 10 }, { buffer + 100, 0 }, { buffer + 8192, 5000 },
		{ NULL, 0 }, { buffer + 20000, 1 },
	};
	struct iovec bad[] = { { buffer, 10 }, { end - 5, 100 }, { buffer, 1 } };
	struct iovec worse[] = { { NULL, 10 }, { buffer, 10 } };
	static const int flags[] = {
		0, RWF_HIPRI, RWF_NOWAIT, RWF_DSYNC, RWF_APPEND, 1 << 30,
	};
	size_t i;

	SAME(readv(fd, good, 5));
	SAME(readv(fd, bad, 3));
	SAME(readv(fd, worse, 2));
	SAME(readv(fd, good, 0));
	SAME(readv(fd, good, -1));
	SAME(readv(fd, NULL, 1));
	SAME(writev(fd, good, 5));
	SAME(writev(fd, bad, 3));
	SAME(writev(fd, worse, 2));
	SAME(writev(fd, good, 2000));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		SAME(LONGEST(preadv2(fd, good, 5, -1, flags[i])));
		SAME(LONGEST(preadv2(fd, bad, 3, 7, flags[i])));
		SAME(pwritev2(fd, good, 5, -1, flags[i]));
		SAME(pwritev2(fd, bad, 3, 7, flags[i]));
	}
	/* Without FMODE_NOWAIT this would fail with EOPNOTSUPP, as it does on 5.10. */
	if (kernel_at_least(6, 1))
		EXPECT_EQ(5011, LONGEST(preadv2(self->device, good, 5, -1,
						RWF_NOWAIT)));
}

TEST_F(io, seek)
{
	static const int whences[] = {
		SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE, 99, -1,
	};
	static const off_t offsets[] = { 0, 1, -1, 1L << 40, INT64_MAX, INT64_MIN };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(whences); i++)
		for (j = 0; j < ARRAY_SIZE(offsets); j++)
			SAME(lseek(fd, offsets[j], whences[i]));
	SAME(read(fd, self->buffer, 100) + lseek(fd, 0, SEEK_CUR));
	EXPECT_EQ(0, lseek(self->device, 1234, SEEK_SET));
}

TEST_F(io, splice)
{
	loff_t offset = 12345;
	size_t i;

	for (i = 0; i < NR_SIZES; i++) {
		SAME(splice_to(fd, NULL, sizes[i], SPLICE_F_NONBLOCK));
		SAME(splice_to(fd, &offset, sizes[i], SPLICE_F_NONBLOCK));
		SAME(splice_from(fd, NULL, sizes[i], self->buffer));
		SAME(splice_from(fd, &offset, sizes[i], self->buffer));
		offset = 12345;
	}
	SAME(splice_to(fd, NULL, 10, ~0U));
	EXPECT_EQ(12345, offset);
}

TEST_F(io, copies)
{
	int file = memfd_create("io_test", 0);
	loff_t offset = 0;
	size_t i;

	ASSERT_EQ(0, ftruncate(file, BUFFER_SIZE));
	for (i = 0; i < NR_SIZES; i++) {
		SAME(sendfile(file, fd, NULL, sizes[i]));
		SAME(sendfile(fd, file, &(off_t) { 0 }, sizes[i]));
	}
	SAME(copy_file_range(fd, NULL, file, NULL, 4096, 0));
	SAME(copy_file_range(file, &offset, fd, NULL, 4096, 0));
	SAME(ioctl(file, FICLONE, fd));
}

TEST_F(io, polls)
{
	SAME(poll_result(fd));
	SAME(select_result(fd));
	SAME(epoll_result(fd));
}

TEST_F(io, file_calls)
{
	int number;

	SAME(stat_result(fd));
	SAME(ftruncate(fd, 0));
	SAME(fallocate(fd, 0, 0, 4096));
	SAME(fsync(fd));
	SAME(fdatasync(fd));
	SAME(sync_file_range(fd, 0, 4096, 0));
	SAME(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	SAME(readahead(fd, 0, 4096));
	SAME(ioctl(fd, FIONREAD, &number));
	SAME(ioctl(fd, FIGETBSZ, &number));
	SAME(ioctl(fd, 0x5401 /* TCGETS */, &number));
	SAME(isatty(fd));
	SAME(flock(fd, LOCK_EX | LOCK_NB) ?: flock(fd, LOCK_UN));
	SAME(fcntl(fd, F_SETLEASE, F_RDLCK));
	SAME(fcntl(fd, F_GETFL));
	SAME(fcntl(fd, F_SETFL, O_DIRECT));
	SAME(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
	SAME(write(fd, "", 1));
	SAME(lseek(fd, 0, SEEK_CUR));
}

TEST_F(io, open_flags)
{
	static const int flags[] = {
		O_RDONLY, O_WRONLY, O_RDWR, 3, O_RDWR | O_DIRECT,
		O_RDWR | O_NONBLOCK, O_RDWR | O_DIRECT | O_NONBLOCK,
		O_RDWR | O_APPEND, O_RDWR | O_TRUNC, O_RDWR | O_CREAT,
		O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_DIRECTORY, O_PATH,
		O_RDWR | O_SYNC, O_RDWR | O_NOFOLLOW, O_RDWR | O_NOATIME,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		SAME(open_result(fd == self->zero ? "/dev/zero" :
				 variant->backing->path, flags[i],
				 self->buffer));
}

TEST_F(io, stdio_append)
{
	FILE *file = fopen(variant->backing->path, "a+");

	ASSERT_NE(NULL, file);
	EXPECT_EQ(1, fwrite("x", 1, 1, file));
	EXPECT_EQ(0, fflush(file));
	EXPECT_EQ(0, fseek(file, 0, SEEK_SET));
	EXPECT_EQ(0, fgetc(file));
	fclose(file);
}

TEST_F(io, uring)
{
	char *buffer = self->buffer, *end = buffer + BUFFER_SIZE;
	size_t i;

	if (uring_read(self->zero, buffer, 1, 0) == -ENOSYS)
		SKIP(return, "this kernel has no io_uring");
	for (i = 0; i < NR_SIZES; i++) {
		SAME(LONGEST(uring_read(fd, buffer, sizes[i], 0)));
		SAME(uring_read(fd, buffer, sizes[i], IOSQE_ASYNC));
		SAME(uring_write(fd, buffer, sizes[i], 0));
		SAME(uring_write(fd, buffer, sizes[i], IOSQE_ASYNC));
	}
	SAME(LONGEST(uring_read(fd, end - 10, 4096, 0)));
	SAME(uring_read(fd, NULL, 4096, IOSQE_ASYNC));
	SAME(uring_write(fd, NULL, 4096, 0));
}

TEST_F(io, signal_cuts_read_short)
{
	size_t size = 8UL << 20;
	char *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fds[] = { self->zero, self->device };
	ssize_t ret;
	int i;

	ASSERT_NE(MAP_FAILED, buffer);
	for (i = 0; i < 4; i++) {
		ret = interrupted_read(fds[i & 1], buffer, size, i & 2);
		EXPECT_LT(0, ret);
		EXPECT_GT((ssize_t)size, ret);
		EXPECT_EQ(0, ret % self->page);
	}
}

TEST_HARNESS_MAIN
