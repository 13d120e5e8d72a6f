/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loads that zerobench times: what its tasks do with a backing.
 */
#ifndef LOADS_H
#define LOADS_H

#include "backing.h"
#include "task_group.h"

/* Bytes of a mapping; vm-scalability's small-allocs maps as many. */
#define LOAD_LEN	(40UL << 10)

/**
 * struct load - a load that can be timed
 * @name: its name, as -l takes it
 * @operation: what one operation is
 * @operations: how many of them a task does by default
 * @prepare: as in struct job; its data is a struct load_args
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
 * struct load_args - what a load works on
 * @backing: what the mappings are made of
 * @fd: from backing_open(), for all tasks; not used with @each
 * @each: each task opens a descriptor of its own
 * @operations: how many operations each task does
 * @mappings: how many mappings a task of the load "fork" has
 */
struct load_args {
	const struct backing *backing;
	int fd;
	bool each;
	long operations;
	long mappings;
};

extern const struct load loads[];
extern const size_t nr_loads;

/**
 * load_find() - find a load by its name
 * @name: the name
 *
 * Return: the load, or NULL.
 */
const struct load *load_find(const char *name);

/**
 * load_time() - run a load and time it
 * @load: the load
 * @args: what it works on
 * @group: the tasks that run it
 *
 * Return: what task_group_time() returned.
 */
__s64 load_time(const struct load *load, const struct load_args *args,
		const struct task_group *group);

#endif /* LOADS_H */
