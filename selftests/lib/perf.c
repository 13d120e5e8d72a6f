// SPDX-License-Identifier: GPL-2.0-only
#include "perf.h"

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The events of one test take far less, so they never wrap around. */
#define DATA_PAGES 16

/* PERF_RECORD_MMAP, which linux/perf_event.h describes in a comment only. */
struct mmap_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	char filename[];
};

int perf_start(struct perf_log *log)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap_data = 1,
		.exclude_kernel = 1,
	};

	log->fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (log->fd < 0)
		return -1;
	log->ring = mmap(NULL, (1 + DATA_PAGES) * getpagesize(),
			 PROT_READ | PROT_WRITE, MAP_SHARED, log->fd, 0);
	if (log->ring != MAP_FAILED)
		return 0;
	close(log->fd);
	return -1;
}

const char *perf_mmap_name(const struct perf_log *log, const void *addr)
{
	const struct perf_event_mmap_page *head = log->ring;
	const char *data = (const char *)log->ring + getpagesize();
	__u64 end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	__u64 at = 0;

	while (at < end) {
		const struct mmap_record *record = (const void *)(data + at);

		if (record->header.type == PERF_RECORD_MMAP &&
		    record->addr == (uintptr_t)addr)
			return record->filename;
		at += record->header.size;
	}
	return NULL;
}

void perf_stop(struct perf_log *log)
{
	munmap(log->ring, (1 + DATA_PAGES) * getpagesize());
	close(log->fd);
}
