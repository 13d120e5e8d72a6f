/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages of a process map the shared zero page, the huge one too.
 */
#ifndef ZEROPAGE_H
#define ZEROPAGE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * enum zeropage_by - how the pages are counted
 * @ZEROPAGE_BY_ANY: by PAGEMAP_SCAN where the kernel has it, else by pagemap
 * @ZEROPAGE_BY_SCAN: by the ioctl PAGEMAP_SCAN, since 6.7. Whoever may read the
 *	process's smaps may do that, too.
 * @ZEROPAGE_BY_PAGEMAP: by page frame numbers from pagemap, looked up in
 *	/proc/kpageflags. Takes root with CAP_SYS_ADMIN.
 */
enum zeropage_by {
	ZEROPAGE_BY_ANY,
	ZEROPAGE_BY_SCAN,
	ZEROPAGE_BY_PAGEMAP,
};

/**
 * struct zeropage - a process to count in
 * @pagemap: its /proc/PID/pagemap, and so the memory it had when that was opened
 * @kpageflags: /proc/kpageflags, or -1 where PAGEMAP_SCAN counts
 */
struct zeropage {
	int pagemap;
	int kpageflags;
};

/**
 * zeropage_open() - make ready to count
 * @process: filled in; to be closed
 * @pid: of the process
 * @by: how
 *
 * Return: 0; -1 with errno set: ENOENT no such process, ESRCH none that has
 * memory, EACCES or EPERM not allowed, ENOTTY no PAGEMAP_SCAN, EOPNOTSUPP no
 * CONFIG_PROC_PAGE_MONITOR.
 */
int zeropage_open(struct zeropage *process, pid_t pid, enum zeropage_by by);

/**
 * zeropage_close() - be done with counting
 * @process: from zeropage_open()
 */
void zeropage_close(const struct zeropage *process);

/**
 * zeropage_count() - how many pages of a range map the shared zero page
 * @process: from zeropage_open()
 * @start: first address, of a page
 * @end: first address behind the last page
 *
 * Counts the huge zero page by the small pages it covers.
 *
 * Return: the count; -1 with errno set, ESRCH where the process has ended or has
 * called exec since it was opened.
 */
long zeropage_count(const struct zeropage *process, unsigned long start,
		    unsigned long end);

/**
 * zeropage_count_own() - zeropage_count() in a range of this process
 * @addr: start of the range
 * @len: bytes
 *
 * Return: the count; -1 with errno set.
 */
long zeropage_count_own(const void *addr, size_t len);

#endif /* ZEROPAGE_H */
