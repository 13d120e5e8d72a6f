/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the pages of a process that map the shared zero page, small or huge.
 */
#ifndef ZEROPAGE_H
#define ZEROPAGE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * enum zeropage_by - how the pages are counted
 * @ZEROPAGE_BY_ANY: by PAGEMAP_SCAN where the kernel has it, else by pagemap
 * @ZEROPAGE_BY_SCAN: by the ioctl PAGEMAP_SCAN, which the kernel has since 6.7.
 *	Whoever may read the process's smaps may call it.
 * @ZEROPAGE_BY_PAGEMAP: by the page frame numbers in pagemap, which are looked up
 *	in /proc/kpageflags. That needs root with CAP_SYS_ADMIN.
 */
enum zeropage_by {
	ZEROPAGE_BY_ANY,
	ZEROPAGE_BY_SCAN,
	ZEROPAGE_BY_PAGEMAP,
};

/**
 * struct zeropage - a process whose pages are counted
 * @pagemap: its /proc/PID/pagemap, which shows the memory that the process had when
 *	this was opened
 * @kpageflags: /proc/kpageflags, or -1 where PAGEMAP_SCAN counts
 */
struct zeropage {
	int pagemap;
	int kpageflags;
};

/**
 * zeropage_open() - prepare to count in a process
 * @process: filled in; zeropage_close() must be called
 * @pid: the process
 * @by: how to count
 *
 * Return: 0; -1 with errno set: ENOENT where there is no such process, ESRCH where
 * it has no memory, EACCES or EPERM where that is not allowed, ENOTTY where the
 * kernel lacks PAGEMAP_SCAN, EOPNOTSUPP where it lacks CONFIG_PROC_PAGE_MONITOR.
 */
int zeropage_open(struct zeropage *process, pid_t pid, enum zeropage_by by);

/**
 * zeropage_close() - close what zeropage_open() opened
 * @process: from zeropage_open()
 */
void zeropage_close(const struct zeropage *process);

/**
 * zeropage_count() - count the pages of a range that map the shared zero page
 * @process: from zeropage_open()
 * @start: first address of the first page
 * @end: first address behind the last page
 *
 * The huge zero page counts as the small pages that it covers.
 *
 * Return: the count; -1 with errno set, ESRCH where the process has ended or has
 * called exec since it was opened.
 */
long zeropage_count(const struct zeropage *process, unsigned long start,
		    unsigned long end);

/**
 * zeropage_count_own() - count the zero pages in a range of this process
 * @addr: start of the range
 * @len: bytes
 *
 * Return: the count; -1 with errno set.
 */
long zeropage_count_own(const void *addr, size_t len);

#endif /* ZEROPAGE_H */
