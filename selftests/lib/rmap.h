/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts what a task does to the rmap trees of files (address_space.i_mmap) and to
 * their locks. It probes functions that are not inlined, and of their arguments it
 * uses only the addresses, and vm_start, which is the first field of a VMA.
 */
#ifndef RMAP_H
#define RMAP_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

#define RMAP_MAX_TREES	16

/**
 * struct rmap_counts - what happened between trace_start() and rmap_stop()
 * @inserts: how many VMAs were put into an i_mmap tree, also by fork
 * @removes: how many VMAs were taken out of an i_mmap tree
 * @file_locks: how often the i_mmap_rwsem of one of @trees was taken for writing
 * @file_waits: how often one of these was not free at once
 * @locks: how often any rw_semaphore was taken for writing
 * @trees: the addresses of these i_mmap trees, then 0
 *
 * @inserts and @removes count only VMAs in the window. Locks count anyway, as a lock
 * belongs to no VMA.
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
 * rmap_open() - define the events, for trace_start() to record
 *
 * Return: NULL, or in words why nothing can be traced here.
 */
const char *rmap_open(void);

/**
 * rmap_stop() - stop recording, and count
 * @window: start of the address range whose VMAs count
 * @size: bytes of the address range
 * @counts: filled in
 *
 * Return: 0; -1 where the record cannot be read.
 */
int rmap_stop(const void *window, size_t size, struct rmap_counts *counts);

#endif /* RMAP_H */
