/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mapping costs in the kernel: VMAs, memory and locks. These counts explain
 * the times.
 */
#ifndef COSTS_H
#define COSTS_H

#include "loads.h"
#include "task_group.h"

/**
 * struct costs - what each mapping of the load "small-allocs" costs
 * @mappings: how many mappings each task made to count them
 * @vmas: VMAs that are left, from /proc/self/maps
 * @slab_bytes: slab memory of VMAs and of the tree that holds them, from
 *	/proc/slabinfo
 * @page_table_bytes: page tables, from VmPTE in /proc/self/status
 * @rmap_locks: how often i_mmap_rwsem is taken for writing, to map and to unmap,
 *	from kprobe events
 * @rmap_waits: how often it was not free at once while all tasks ran, from kprobe
 *	events
 * @rmap_hold_ns: nanoseconds for which it is held each time, from
 *	/proc/lock_stat
 *
 * A count that this kernel or this user cannot take is negative.
 */
struct costs {
	long mappings;
	double vmas;
	double slab_bytes;
	double page_table_bytes;
	double rmap_locks;
	double rmap_waits;
	double rmap_hold_ns;
};

/**
 * costs_find() - count what a mapping costs
 * @args: what the load works on; its number of operations is not used
 * @group: the tasks that run the load and wait for each other's locks
 * @costs: filled in
 *
 * Return: 0; -1 where the load failed, which is printed to standard error.
 */
int costs_find(const struct load_args *args, const struct task_group *group,
	       struct costs *costs);

#endif /* COSTS_H */
