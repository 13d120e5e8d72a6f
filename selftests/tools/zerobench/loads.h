/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What zerobench has its tasks do with a backing.
 */
#ifndef LOADS_H
#define LOADS_H

#include "backing.h"
#include "task_group.h"

/* Of a mapping, in bytes: vm-scalability's small-allocs maps as much. */
#define LOAD_LEN	(40UL << 10)

/**
 * struct load - one of them
 * @name: how to call it
 * @operation: what is counted
 * @operations: how many a task does, unless told otherwise
 * @prepare: as in struct job; its data is a struct request
 * @run: as in struct job
 * @exits: as in struct job
 */
struct load {
	const char *name;
	const char *operation;
	long operations;
	void *(*prepare)(const void *data);
	int (*run)(void *prepared);
	bool exits;
};

/**
 * struct request - what a load works on
 * @backing: of the mappings
 * @fd: of backing_open(), for all tasks; not used where each has its own
 * @each: each task opens a descriptor of its own
 * @operations: for each task
 * @mappings: that a task of the load "fork" has
 */
struct request {
	const struct backing *backing;
	int fd;
	bool each;
	long operations;
	long mappings;
};

extern const struct load loads[];
extern const size_t nr_loads;

/**
 * load_find() - the load of a name
 * @name: of it
 *
 * Return: the load, or NULL.
 */
const struct load *load_find(const char *name);

/**
 * load_time() - have a load done
 * @load: which
 * @request: of what
 * @crew: by whom
 *
 * Return: as crew_time().
 */
__s64 load_time(const struct load *load, const struct request *request,
		const struct crew *crew);

#endif /* LOADS_H */
