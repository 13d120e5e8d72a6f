/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What explains the time that a mapping takes: counts, from the kernel.
 */
#ifndef COSTS_H
#define COSTS_H

#include "task_group.h"
#include "loads.h"

/**
 * struct why - of each mapping of the load "small-allocs"
 * @mappings: that were counted of each task
 * @vmas: left, from /proc/self/maps
 * @slab_bytes: of VMAs and their tree, from /proc/slabinfo
 * @page_table_bytes: from VmPTE in /proc/self/status
 * @rmap_locks: i_mmap_rwsem taken for writing, to map and to unmap, by kprobe
 *	events
 * @rmap_waits: and found taken, by the whole crew, by kprobe events
 * @rmap_hold_ns: nanoseconds for which it is held each time, from
 *	/proc/lock_stat
 *
 * What this kernel, or this user, cannot find out is negative.
 */
struct why {
	long mappings;
	double vmas;
	double slab_bytes;
	double page_table_bytes;
	double rmap_locks;
	double rmap_waits;
	double rmap_hold_ns;
};

/**
 * why_find() - count
 * @request: of what; its operations are not used
 * @crew: who waits for whom
 * @why: filled in
 *
 * Return: 0; -1 where the load failed and has said so.
 */
int why_find(const struct request *request, const struct crew *crew,
	     struct why *why);

#endif /* COSTS_H */
