/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf event the kernel sends for an mmap(2) of the calling task.
 */
#ifndef PERF_H
#define PERF_H

#include <stddef.h>

/**
 * struct perf_log - mmap events of this task, as they come
 * @fd: of perf_event_open(2)
 * @ring: its ring buffer: one page of head, then data
 */
struct perf_log {
	int fd;
	void *ring;
};

/**
 * perf_start() - record this task's mmap events from now on
 * @log: filled in
 *
 * Return: 0; -1 with errno set.
 */
int perf_start(struct perf_log *log);

/**
 * perf_mmap_name() - the file name in the event for a mapping
 * @log: from perf_start()
 * @addr: the mapping's first address
 *
 * Return: the name, in the log's memory, or NULL where there was no event.
 */
const char *perf_mmap_name(const struct perf_log *log, const void *addr);

/**
 * perf_stop() - end the recording and free it
 * @log: from perf_start()
 */
void perf_stop(struct perf_log *log);

#endif /* PERF_H */
