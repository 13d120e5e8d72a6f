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

static int fill(int uffd, void *page, size_t size, enum uffd_fill how)
{
	struct uffdio_range range = { .start = (uintptr_t)page, .len = size };
	char source[size];

	if (how == UFFD_ZEROPAGE) {
		struct uffdio_zeropage zero = { .range = range };

		return ioctl(uffd, UFFDIO_ZEROPAGE, &zero) ? errno : 0;
	}
	if (how == UFFD_COPY) {
		struct uffdio_copy copy = {
			.dst = range.start, .src = (uintptr_t)source, .len = size,
		};

		memset(source, 0x5a, size);
		return ioctl(uffd, UFFDIO_COPY, &copy) ? errno : 0;
	}
#ifdef UFFDIO_POISON
	if (how == UFFD_POISON) {
		struct uffdio_poison poison = { .range = range };

		return ioctl(uffd, UFFDIO_POISON, &poison) ? errno : 0;
	}
#endif
	return ENOTTY;
}

int uffd_fill_page(void *page, enum uffd_fill how)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int uffd = uffd_open();
	int ret;

	if (uffd < 0)
		return errno;
	ret = uffd_register(uffd, page, size, UFFDIO_REGISTER_MODE_MISSING);
	if (!ret)
		ret = fill(uffd, page, size, how);
	close(uffd);
	return ret;
}
