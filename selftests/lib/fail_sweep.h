/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is done while allocations fail, and the mapping that it is done to.
 */
#ifndef FAIL_SWEEP_H
#define FAIL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#define NR_ERRNOS	256
#define ENDLESS		5000	/* more than any call here allocates */
#define MANY		150

/**
 * struct scene - what an operation works on
 * @path: the device
 * @fd: open on it, but for opening
 * @page: bytes
 * @map: a private mapping of some pages, all written
 * @len: bytes of it
 * @got: what came of the operation, for undoing it
 */
struct scene {
	const char *path;
	int fd;
	size_t page;
	char *map;
	size_t len;
	void *got;
};

/**
 * struct operation - what is done while allocations fail
 * @act: does it, and returns 0 or an errno
 * @undo: takes it back where it went well, without faults; NULL: clearing the
 *	scene does
 * @rounds: how often to let each allocation fail: MANY where it makes a file, as
 *	the count of files is not exact
 * @takes_inode: of shmem, which takes inode numbers from a CPU's stock and says
 *	ENOSPC where a new one fails
 */
struct operation {
	int (*act)(struct scene *scene);
	void (*undo)(struct scene *scene);
	int rounds;
	bool takes_inode;
};

extern const struct operation operation_open, operation_map_shared,
	operation_map_private, operation_map_populated, operation_map_over,
	operation_split, operation_protect, operation_move, operation_fork;

/**
 * scene_sweep() - let an operation's first allocation fail, then its second,
 *	until there is none to fail any more
 * @operation: done each time in a new scene
 * @path: the device
 * @errnos: NR_ERRNOS of them; those that come are noted
 *
 * fault_open() must have been called.
 *
 * Return: how many allocations there are, or -1 where the scene could not be set
 * again after one had failed.
 */
int scene_sweep(const struct operation *operation, const char *path, bool *errnos);

#endif /* FAIL_SWEEP_H */
