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

#define MANY	2000	/* mappings, which show in the slab counts */
#define FEW	100	/* mappings, whose events fit into the trace buffer */
#define BY_ALL	2000	/* mappings of all tasks, whose few events fit, too */

/* The slab caches that a VMA takes objects from. Not every kernel has them all. */
static const char *const caches[] = {
	"vm_area_struct", "vma_lock", "maple_node",
};

/* Returns the bytes that are in use in these caches, or -1 if that is unknown. */
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

/* Objects that a slab keeps for reuse count as in use, so have it free them. */
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

/* Counts what the load leaves behind, in a process that had no such mappings. */
static int count_left(const struct load *load, struct load_args args,
		      struct costs *costs)
{
	long vmas, slab, tables;
	void *prepared;

	args.operations = MANY;
	prepared = load->prepare(&args);
	if (!prepared)
		return -1;
	shrink_slabs();
	vmas = proc_count_vmas(NULL, -1UL);
	slab = slab_bytes();
	tables = page_table_bytes();
	if (load->run(prepared)) {
		task_complain("a task failed");
		return -1;
	}
	tables = page_table_bytes() - tables;
	vmas = proc_count_vmas(NULL, -1UL) - vmas;
	costs->vmas = (double)vmas / MANY;
	costs->page_table_bytes = (double)tables / MANY;
	if (slab >= 0)
		costs->slab_bytes = (double)(slab_bytes() - slab) / MANY;
	return 0;
}

static int count_left_in_child(const struct load *load,
			       const struct load_args *args, struct costs *costs)
{
	struct costs *shared = mmap(NULL, sizeof(*costs), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -1;
	*shared = *costs;
	pid = fork();
	if (!pid)
		_exit(count_left(load, *args, shared) ? 1 : 0);
	if (pid > 0)
		waitpid(pid, &status, 0);
	*costs = *shared;
	munmap(shared, sizeof(*costs));
	return status ? -1 : 0;
}

/*
 * Counts the second of two turns: a design may make what a CPU's mappings need
 * after the first of them.
 */
static int count_locks(struct load_args args, struct costs *costs)
{
	const struct load *load = load_find("map-unmap");
	struct rmap_counts counts;
	void *prepared;
	int turn;

	args.operations = FEW;
	prepared = load->prepare(&args);
	if (!prepared)
		return -1;
	for (turn = 0; turn < 2; turn++) {
		trace_start(getpid());
		load->run(prepared);
		if (!rmap_stop(NULL, -1UL, &counts))
			costs->rmap_locks = (double)counts.file_locks / FEW;
		usleep(100000);
	}
	return 0;
}

static int count_waits(const struct load *load, struct load_args args,
		       const struct task_group *group, struct costs *costs)
{
	struct rmap_counts counts;

	args.operations = BY_ALL / group->tasks + 1;
	trace_start(0);
	if (load_time(load, &args, group) < 0)
		return -1;
	if (!rmap_stop(NULL, -1UL, &counts))
		costs->rmap_waits = (double)counts.file_waits / group->tasks /
				  args.operations;
	return 0;
}

static int find_hold_time(const struct load *load, struct load_args args,
			  const struct task_group *group, struct costs *costs)
{
	struct lock_stat stat;
	bool told;
	__s64 ns;

	if (costs->rmap_locks <= 0 || lock_stat_start())
		return 0;
	args.operations = MANY / 4;
	ns = load_time(load, &args, group);
	told = lock_stat_stop(&stat);
	if (ns < 0)
		return -1;
	/* The kernel's own average is rounded, so compute it from the sum. */
	if (told && stat.acquisitions)
		costs->rmap_hold_ns = stat.hold_us / stat.acquisitions * 1000;
	return 0;
}

int costs_find(const struct load_args *args, const struct task_group *group,
	       struct costs *costs)
{
	const struct load *load = load_find("small-allocs");
	int ret;

	*costs = (struct costs) { MANY, -1, -1, -1, -1, -1, -1 };
	if (count_left_in_child(load, args, costs))
		return -1;
	if (!rmap_open()) {
		ret = count_locks(*args, costs) ||
		      count_waits(load, *args, group, costs);
		trace_close();
		if (ret)
			return -1;
	}
	return find_hold_time(load, *args, group, costs);
}
