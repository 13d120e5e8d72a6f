/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the perf events that the kernel sends for each mmap(2) of this task.
 */
#ifndef PERF_H
#define PERF_H

#include <stddef.h>

/**
 * struct perf_log - the mmap events of this task
 * @fd: descriptor from perf_event_open(2)
 * @ring: the ring buffer: one page with its head, then the data
 */
struct perf_log {
	int fd;
	void *ring;
};

/**
 * perf_start() - start to record this task's mmap events
 * @log: filled in
 *
 * Return: 0; -1 with errno set.
 */
int perf_start(struct perf_log *log);

/**
 * perf_mmap_name() - find the file name in the event for a mapping
 * @log: from perf_start()
 * @addr: the mapping's first address
 *
 * Return: the name, in the log's memory, or NULL where there was no event.
 */
const char *perf_mmap_name(const struct perf_log *log, const void *addr);

/**
 * perf_stop() - stop recording, and free the record
 * @log: from perf_start()
 */
void perf_stop(struct perf_log *log);

#endif /* PERF_H */
