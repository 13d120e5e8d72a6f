// SPDX-License-Identifier: GPL-2.0-only
#include "uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int uffd_open(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int uffd = syscall(__NR_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	/* 5.10 does not know this flag, and asks for no privilege. */
	if (uffd < 0 && errno == EINVAL)
		uffd = syscall(__NR_userfaultfd, O_CLOEXEC);
	if (uffd >= 0 && ioctl(uffd, UFFDIO_API, &api)) {
		close(uffd);
		return -1;
	}
	return uffd;
}

int uffd_register(int uffd, void *addr, size_t len, unsigned long mode)
{
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)addr, .len = len },
		.mode = mode,
	};

	return ioctl(uffd, UFFDIO_REGISTER, &reg) ? errno : 0;
}

static int zeropage(int uffd, struct uffdio_range range)
{
	struct uffdio_zeropage zero = { .range = range };

	return ioctl(uffd, UFFDIO_ZEROPAGE, &zero) ? errno : 0;
}

static int copy(int uffd, struct uffdio_range range)
{
	char source[range.len];
	struct uffdio_copy copy = {
		.dst = range.start, .src = (uintptr_t)source, .len = range.len,
	};

	memset(source, 0x5a, range.len);
	return ioctl(uffd, UFFDIO_COPY, &copy) ? errno : 0;
}

static int poison(int uffd, struct uffdio_range range)
{
#ifdef UFFDIO_POISON
	struct uffdio_poison poison = { .range = range };
	int ret = ioctl(uffd, UFFDIO_POISON, &poison);
#else
	int ret = -1;

	errno = ENOTTY;
#endif
	return ret ? errno : 0;
}

int uffd_fill_page(void *page, enum uffd_fill how)
{
	static int (*const fills[])(int uffd, struct uffdio_range range) = {
		[UFFD_ZEROPAGE] = zeropage,
		[UFFD_COPY] = copy,
		[UFFD_POISON] = poison,
	};
	struct uffdio_range range = {
		.start = (uintptr_t)page, .len = sysconf(_SC_PAGESIZE),
	};
	int uffd = uffd_open();
	int ret;

	if (uffd < 0)
		return errno;
	ret = uffd_register(uffd, page, range.len, UFFDIO_REGISTER_MODE_MISSING);
	if (!ret)
		ret = fills[how](uffd, range);
	close(uffd);
	return ret;
}
