/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts what a task does to the rmap trees of files (address_space.i_mmap) and
 * to their locks, with kprobe events of tracefs. Works on stock kernels; needs
 * root. The functions probed are plain ones of the kernel, and only their first
 * two arguments and vm_start, the first field of a VMA, are looked at.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct rmap_counts - what happened between trace_start() and trace_stop()
 * @inserts: VMAs put into an i_mmap tree, those by fork included
 * @removes: VMAs taken out of one
 * @file_locks: i_mmap_rwsem taken for writing, of the trees seen in the above
 * @locks: all rw_semaphores taken for writing
 *
 * @inserts and @removes are of VMAs in the window only; locks know no VMA.
 */
struct rmap_counts {
	int inserts;
	int removes;
	int file_locks;
	int locks;
};

/**
 * trace_open() - define the events
 *
 * Return: NULL, or in words why there can be no tracing here.
 */
const char *trace_open(void);

/**
 * trace_start() - count from now on
 * @pid: the task to watch
 *
 * Return: 0; -1 with errno set.
 */
int trace_start(pid_t pid);

/**
 * trace_stop() - stop counting
 * @window: start of the address range to count VMAs of
 * @size: bytes of it
 * @counts: filled in
 *
 * Return: 0; -1 where the trace cannot be read, or lost events.
 */
int trace_stop(const void *window, size_t size, struct rmap_counts *counts);

/**
 * trace_close() - remove the events
 */
void trace_close(void);

#endif /* TRACE_H */
