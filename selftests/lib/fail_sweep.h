/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets each allocation of a call fail in turn.
 */
#ifndef FAIL_SWEEP_H
#define FAIL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#define NR_ERRNOS	256
#define ENDLESS		5000	/* allocations, more than any call here makes */
#define MANY		150	/* rounds, in which files that leak show */

/**
 * struct fail_target - what an operation works on
 * @path: the device
 * @fd: a descriptor of the device
 * @page: bytes of a page
 * @map: a private mapping of some pages, all written
 * @len: bytes of the mapping
 * @got: what the operation made, for undoing it
 */
struct fail_target {
	const char *path;
	int fd;
	size_t page;
	char *map;
	size_t len;
	void *got;
};

/**
 * struct operation - a call that is made while allocations fail
 * @act: makes it, and returns 0 or an errno
 * @undo: undoes it after a success; NULL where it goes with the target
 * @rounds: how many sweeps to make: MANY where it makes a file, as the kernel's
 *	count of files is not exact
 * @takes_inode: it makes a shmem inode, and so fails with ENOSPC where an inode
 *	number cannot be allocated
 */
struct operation {
	int (*act)(struct fail_target *target);
	void (*undo)(struct fail_target *target);
	int rounds;
	bool takes_inode;
};

extern const struct operation operation_open, operation_map_shared,
	operation_map_private, operation_map_populated, operation_map_over,
	operation_split, operation_protect, operation_move, operation_fork;

/**
 * fail_sweep() - let an operation's first allocation fail, then its second, and so
 *	on until none is left to fail
 * @operation: the operation, which gets a new target each time
 * @path: the device
 * @errnos: NR_ERRNOS flags; that of each errno that came up is set
 *
 * fail_nth_open() must have been called.
 *
 * Return: how many allocations there are, or -1 where no new target could be made
 * after one had failed.
 */
int fail_sweep(const struct operation *operation, const char *path, bool *errnos);

#endif /* FAIL_SWEEP_H */
