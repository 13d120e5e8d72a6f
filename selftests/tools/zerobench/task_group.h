/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times a group of tasks that start at once and all do the same job.
 */
#ifndef TASK_GROUP_H
#define TASK_GROUP_H

#include <linux/types.h>
#include <stdbool.h>

#define TASK_GROUP_MAX	256

/**
 * struct task_group - the tasks that do a job
 * @tasks: how many there are, up to TASK_GROUP_MAX
 * @threads: they are threads of one process, not a process each
 * @pinned: each is pinned to a CPU, in turn
 */
struct task_group {
	int tasks;
	bool threads;
	bool pinned;
};

/**
 * struct job - what each task does
 * @prepare: called first, and not timed; what it returns is passed to @run. Where
 *	it fails it prints why and returns NULL, which ends the job
 * @run: called when all tasks are ready; returns 0, or -1 with errno set
 * @exits: time how long the tasks take to exit, after @run
 * @data: passed to @prepare
 */
struct job {
	void *(*prepare)(const void *data);
	int (*run)(void *prepared);
	bool exits;
	const void *data;
};

/**
 * task_group_time() - run a job in processes made for it, and time it
 * @group: the tasks that run it
 * @job: the job
 *
 * The processes are children of the caller, and are gone when this returns.
 *
 * Return: nanoseconds of CLOCK_MONOTONIC from the start of the first task to the
 * end of the last, or, for a job with @exits, until all processes are reaped; -1
 * where a task failed, which is printed to standard error.
 */
__s64 task_group_time(const struct task_group *group, const struct job *job);

/**
 * task_complain() - print to standard error what failed, and why, by errno
 * @what: what failed
 */
void task_complain(const char *what);

#endif /* TASK_GROUP_H */
