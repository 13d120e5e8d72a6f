// SPDX-License-Identifier: GPL-2.0-only
#include "zeropage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/kernel-page-flags.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "array_size.h"

/* Documentation/admin-guide/mm/pagemap.rst: bits 0-54 are the PFN, 63 present. */
#define PM_PFN(entry)		((entry) & ((1ULL << 55) - 1))
#define PM_IS_PRESENT(entry)	((entry) >> 63)

#define OWN_PAGEMAP		"/proc/self/pagemap"

/* Headers older than 6.7 lack this, which the running kernel may have. */
#ifndef PAGEMAP_SCAN
#define PAGE_IS_PFNZERO		0x20

struct page_region {
	__u64 start;
	__u64 end;
	__u64 categories;
};

struct pm_scan_arg {
	__u64 size;
	__u64 flags;
	__u64 start;
	__u64 end;
	__u64 walk_end;
	__u64 vec;
	__u64 vec_len;
	__u64 max_pages;
	__u64 category_inverted;
	__u64 category_mask;
	__u64 category_anyof_mask;
	__u64 return_mask;
};

#define PAGEMAP_SCAN		_IOWR('f', 16, struct pm_scan_arg)
#endif

static int open_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Scans an empty range of this process, which surely has memory. */
static int try_scan(void)
{
	struct pm_scan_arg arg = { .size = sizeof(arg) };
	int pagemap = open_read(OWN_PAGEMAP);
	int ret = ioctl(pagemap, PAGEMAP_SCAN, &arg);
	int error = errno;

	if (pagemap >= 0)
		close(pagemap);
	errno = error;
	return ret;
}

/* A process without CAP_SYS_ADMIN reads 0 for each page frame number. */
static bool sees_frames(void)
{
	int pagemap = open_read(OWN_PAGEMAP);
	__u64 entry = 0;
	off_t page = (uintptr_t)&entry / getpagesize();

	if (pread(pagemap, &entry, sizeof(entry), page * sizeof(entry)) !=
	    sizeof(entry))
		entry = 0;
	if (pagemap >= 0)
		close(pagemap);
	return PM_PFN(entry);
}

/* Opens what is needed beside pagemap, and returns 0 or an errno. */
static int choose(struct zeropage *process, enum zeropage_by by)
{
	if (by != ZEROPAGE_BY_PAGEMAP) {
		if (!try_scan())
			return 0;
		if (errno != ENOTTY || by == ZEROPAGE_BY_SCAN)
			return errno;
	}
	process->kpageflags = open_read("/proc/kpageflags");
	if (process->kpageflags < 0)
		return errno;
	return sees_frames() ? 0 : EPERM;
}

int zeropage_open(struct zeropage *process, pid_t pid, enum zeropage_by by)
{
	char path[64];
	int error;

	if (access(OWN_PAGEMAP, F_OK)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	process->kpageflags = -1;
	process->pagemap = open_read(path);
	if (process->pagemap < 0)
		return -1;
	error = choose(process, by);
	if (!error)
		return 0;
	zeropage_close(process);
	errno = error;
	return -1;
}

void zeropage_close(const struct zeropage *process)
{
	close(process->pagemap);
	if (process->kpageflags >= 0)
		close(process->kpageflags);
}

/* Reading pagemap meets its end where the process's memory has gone. */
static bool has_memory(int pagemap)
{
	__u64 entry;

	if (pread(pagemap, &entry, sizeof(entry), 0))
		return true;
	errno = ESRCH;
	return false;
}

/* Some kernels, as 7.2, scan memory that has gone, and find nothing. */
static long count_by_scan(int pagemap, unsigned long start, unsigned long end)
{
	struct page_region regions[64];
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.end = end,
		.vec = (uintptr_t)regions,
		.vec_len = ARRAY_SIZE(regions),
		.category_mask = PAGE_IS_PFNZERO,
		.return_mask = PAGE_IS_PFNZERO,
	};
	long bytes = 0;
	int i, n;

	for (; start < end; start = arg.walk_end) {
		arg.start = start;
		n = ioctl(pagemap, PAGEMAP_SCAN, &arg);
		if (n < 0)
			return -1;
		for (i = 0; i < n; i++)
			bytes += regions[i].end - regions[i].start;
	}
	return has_memory(pagemap) ? bytes / getpagesize() : -1;
}

/* Counts the zero pages among n entries of pagemap. */
static long count_entries(int kpageflags, const __u64 *entries, size_t n)
{
	__u64 last = 0, flags = 0;
	long found = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		__u64 frame = PM_PFN(entries[i]);

		if (!PM_IS_PRESENT(entries[i]))
			continue;
		/* The small zero page often follows itself, so ask for it once. */
		if (frame != last && pread(kpageflags, &flags, sizeof(flags),
					   frame * sizeof(flags)) != sizeof(flags))
			return -1;
		last = frame;
		found += flags >> KPF_ZERO_PAGE & 1;
	}
	return found;
}

static long count_by_pagemap(const struct zeropage *process, unsigned long start,
			     unsigned long end)
{
	unsigned long page = start / getpagesize();
	unsigned long behind = end / getpagesize();
	long found = 0, more;
	__u64 entries[512];
	ssize_t bytes;

	for (; page < behind; page += bytes / sizeof(*entries)) {
		bytes = behind - page < ARRAY_SIZE(entries) ?
			(behind - page) * sizeof(*entries) : sizeof(entries);
		bytes = pread(process->pagemap, entries, bytes,
			      page * sizeof(*entries));
		if (!bytes)
			errno = ESRCH;
		if (bytes <= 0)
			return -1;
		more = count_entries(process->kpageflags, entries,
				     bytes / sizeof(*entries));
		if (more < 0)
			return -1;
		found += more;
	}
	return found;
}

long zeropage_count(const struct zeropage *process, unsigned long start,
		    unsigned long end)
{
	/* [vsyscall] is in the kernel's half, and in no page table of a process. */
	if ((long)start < 0)
		return 0;
	if (process->kpageflags < 0)
		return count_by_scan(process->pagemap, start, end);
	return count_by_pagemap(process, start, end);
}

long zeropage_count_own(const void *addr, size_t len)
{
	unsigned long start = (uintptr_t)addr;
	struct zeropage own;
	long n;

	if (zeropage_open(&own, getpid(), ZEROPAGE_BY_ANY))
		return -1;
	n = zeropage_count(&own, start, start + len);
	zeropage_close(&own);
	return n;
}
