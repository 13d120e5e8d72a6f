/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that start at once and do the same, and how long that took.
 */
#ifndef TASK_GROUP_H
#define TASK_GROUP_H

#include <linux/types.h>
#include <stdbool.h>

#define CREW_MAX_TASKS	256

/**
 * struct crew - who does a job
 * @tasks: how many, up to CREW_MAX_TASKS
 * @threads: of one process, in place of a process each
 * @pinned: each to a CPU, in turn
 */
struct crew {
	int tasks;
	bool threads;
	bool pinned;
};

/**
 * struct job - what each task does
 * @prepare: called first, outside the time that counts; what it returns is
 *	handed to @run. NULL with errno set, and a word to standard error, ends
 *	the job
 * @run: called when all are ready; 0, or not with errno set
 * @exits: what counts is the time that the tasks take to exit, after @run
 * @data: handed to @prepare
 */
struct job {
	void *(*prepare)(const void *data);
	int (*run)(void *prepared);
	bool exits;
	const void *data;
};

/**
 * crew_time() - have a job done in processes made for it
 * @crew: by whom
 * @job: what
 *
 * The tasks are children of the caller and are gone when it returns.
 *
 * Return: nanoseconds of CLOCK_MONOTONIC from the first task's start to the last
 * one's end, or, where the job exits, until all are reaped; -1 where a task
 * failed and has said so.
 */
__s64 crew_time(const struct crew *crew, const struct job *job);

/**
 * crew_complain() - say to standard error why a task fails, by errno
 * @what: failed
 */
void crew_complain(const char *what);

#endif /* TASK_GROUP_H */
