// SPDX-License-Identifier: GPL-2.0-only
#include "costs.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array_size.h"
#include "lock_stat.h"
#include "proc.h"
#include "rmap.h"
#include "trace.h"

/* Enough for slabs to show; and few enough for the trace's buffer, by all. */
#define MANY	2000
#define FEW	100
#define BY_ALL	2000

/* What a VMA takes from; not every kernel has each. */
static const char *const caches[] = {
	"vm_area_struct", "vma_lock", "maple_node",
};

/* Bytes of the objects in use; or -1. */
static long slab_bytes(void)
{
	long n, size, bytes = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(caches); i++) {
		n = proc_slab(caches[i], &size);
		if (n >= 0)
			bytes = (bytes < 0 ? 0 : bytes) + n * size;
	}
	return bytes;
}

/* What was freed before and is kept for reuse counts as in use, too. */
static void shrink_slabs(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(caches); i++)
		proc_slab_shrink(caches[i]);
}

static long page_table_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long kb = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "VmPTE: %ld", &kb) == 1)
			break;
	}
	if (file)
		fclose(file);
	return kb << 10;
}

/* In a process of its own, which had nothing like it before. */
static int count_left(const struct load *load, struct request request,
		      struct why *why)
{
	long vmas, slab, tables;
	void *prepared;

	request.operations = MANY;
	prepared = load->prepare(&request);
	if (!prepared)
		return -1;
	shrink_slabs();
	vmas = proc_count_vmas(NULL, -1UL);
	slab = slab_bytes();
	tables = page_table_bytes();
	if (load->run(prepared)) {
		crew_complain("a task failed");
		return -1;
	}
	tables = page_table_bytes() - tables;
	vmas = proc_count_vmas(NULL, -1UL) - vmas;
	why->vmas = (double)vmas / MANY;
	why->page_table_bytes = (double)tables / MANY;
	if (slab >= 0)
		why->slab_bytes = (double)(slab_bytes() - slab) / MANY;
	return 0;
}

static int count_left_in_child(const struct load *load,
			       const struct request *request, struct why *why)
{
	struct why *shared = mmap(NULL, sizeof(*why), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -1;
	*shared = *why;
	pid = fork();
	if (!pid)
		_exit(count_left(load, *request, shared) ? 1 : 0);
	if (pid > 0)
		waitpid(pid, &status, 0);
	*why = *shared;
	munmap(shared, sizeof(*why));
	return status ? -1 : 0;
}

/* Mapped and unmapped by this process, once before: sharded settles then. */
static int count_locks(struct request request, struct why *why)
{
	const struct load *load = load_find("map-unmap");
	struct rmap_counts counts;
	void *prepared;
	int turn;

	request.operations = FEW;
	prepared = load->prepare(&request);
	if (!prepared)
		return -1;
	for (turn = 0; turn < 2; turn++) {
		trace_start(getpid());
		load->run(prepared);
		if (!rmap_stop(NULL, -1UL, &counts))
			why->rmap_locks = (double)counts.file_locks / FEW;
		usleep(100000);
	}
	return 0;
}

static int count_waits(const struct load *load, struct request request,
		       const struct crew *crew, struct why *why)
{
	struct rmap_counts counts;

	request.operations = BY_ALL / crew->tasks + 1;
	trace_start(0);
	if (load_time(load, &request, crew) < 0)
		return -1;
	if (!rmap_stop(NULL, -1UL, &counts))
		why->rmap_waits = (double)counts.file_waits / crew->tasks /
				  request.operations;
	return 0;
}

static int find_hold_time(const struct load *load, struct request request,
			  const struct crew *crew, struct why *why)
{
	struct lock_stat stat;
	bool told;
	__s64 ns;

	if (why->rmap_locks <= 0 || lock_stat_start())
		return 0;
	request.operations = MANY / 4;
	ns = load_time(load, &request, crew);
	told = lock_stat_stop(&stat);
	if (ns < 0)
		return -1;
	/* Not the kernel's own average, which is rounded. */
	if (told && stat.acquisitions)
		why->rmap_hold_ns = stat.hold_us / stat.acquisitions * 1000;
	return 0;
}

int why_find(const struct request *request, const struct crew *crew,
	     struct why *why)
{
	const struct load *load = load_find("small-allocs");
	int ret;

	*why = (struct why) { MANY, -1, -1, -1, -1, -1, -1 };
	if (count_left_in_child(load, request, why))
		return -1;
	if (!rmap_open()) {
		ret = count_locks(*request, why) ||
		      count_waits(load, *request, crew, why);
		trace_close();
		if (ret)
			return -1;
	}
	return find_hold_time(load, *request, crew, why);
}
