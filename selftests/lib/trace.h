/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records kprobe events of tracefs, in an instance of this process's own. Needs
 * root.
 */
#ifndef TRACE_H
#define TRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct probe - a kprobe event
 * @name: name of the event
 * @symbols: the function to probe is the first of these that the kernel has
 * @fetch: what to record, as kprobe_events takes it
 * @at_return: the event comes when the function returns, not when it is called
 */
struct probe {
	const char *name;
	const char *symbols[2];
	const char *fetch;
	bool at_return;
};

/**
 * trace_open() - define events
 * @probes: the events; they must live until trace_close()
 * @n: how many events there are
 *
 * Return: NULL, or in words why nothing can be traced here.
 */
const char *trace_open(const struct probe *probes, size_t n);

/**
 * trace_start() - start to record, and forget what was recorded before
 * @pid: the task to watch, or 0 for all
 *
 * Return: 0; -1 with errno set.
 */
int trace_start(pid_t pid);

/**
 * trace_stop() - stop recording
 *
 * Return: the record, with a line for each event, for the caller to close; NULL
 * with errno set.
 */
FILE *trace_stop(void);

/**
 * trace_is() - whether a line of the record is of an event
 * @line: the line
 * @name: name of the event
 *
 * Return: whether it is.
 */
bool trace_is(const char *line, const char *name);

/**
 * trace_field() - read a number from a line of the record
 * @line: the line
 * @key: the number's name in the probe's @fetch, with "="; it is hexadecimal
 * @value: filled in
 *
 * Return: whether the line has it.
 */
bool trace_field(const char *line, const char *key, __u64 *value);

/**
 * trace_close() - remove the events
 */
void trace_close(void);

#endif /* TRACE_H */
