/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts what a task does to the rmap trees of files (address_space.i_mmap) and
 * to their locks. The functions probed are plain ones of the kernel; of their
 * arguments only addresses are looked at, and vm_start, a VMA's first field.
 */
#ifndef RMAP_H
#define RMAP_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

#define RMAP_MAX_TREES	16

/**
 * struct rmap_counts - what happened between trace_start() and rmap_stop()
 * @inserts: VMAs put into an i_mmap tree, those by fork included
 * @removes: VMAs taken out of one
 * @file_locks: i_mmap_rwsem taken for writing, of the trees seen in the above
 * @file_waits: how often one of these was not free at once
 * @locks: all rw_semaphores taken for writing
 * @trees: the addresses of the trees, then 0
 *
 * @inserts and @removes are of VMAs in the window only; locks know no VMA.
 */
struct rmap_counts {
	int inserts;
	int removes;
	int file_locks;
	int file_waits;
	int locks;
	__u64 trees[RMAP_MAX_TREES];
};

/**
 * rmap_open() - define the events; they are recorded by trace_start()
 *
 * Return: NULL, or in words why there can be no tracing here.
 */
const char *rmap_open(void);

/**
 * rmap_stop() - stop recording and count
 * @window: start of the address range to count VMAs of
 * @size: bytes of it
 * @counts: filled in
 *
 * Return: 0; -1 where the record cannot be read.
 */
int rmap_stop(const void *window, size_t size, struct rmap_counts *counts);

#endif /* RMAP_H */
