// SPDX-License-Identifier: GPL-2.0-only
#include "rmap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "array_size.h"
#include "trace.h"

/* i_mmap_rwsem is behind i_mmap in an address_space, which is shorter than this. */
#define MAPPING_SIZE	512

/* Until 7.2 the functions had "interval_tree" in their names. */
static const struct probe probes[] = {
	{ "insert", { "vma_interval_tree_insert", "mapping_rmap_tree_insert" },
	  "start=+0($arg1):x64 tree=$arg2:x64" },
	{ "insert_after",
	  { "vma_interval_tree_insert_after", "mapping_rmap_tree_insert_after" },
	  "start=+0($arg1):x64 tree=$arg3:x64" },
	{ "remove", { "vma_interval_tree_remove", "mapping_rmap_tree_remove" },
	  "start=+0($arg1):x64 tree=$arg2:x64" },
	{ "lock", { "down_write" }, "sem=$arg1:x64" },
	{ "wait", { "rwsem_down_write_slowpath" }, "sem=$arg1:x64" },
};

const char *rmap_open(void)
{
	return trace_open(probes, ARRAY_SIZE(probes));
}

static void remember(__u64 *trees, __u64 tree)
{
	size_t i;

	for (i = 0; i < RMAP_MAX_TREES - 1 && trees[i] && trees[i] != tree; i++)
		;
	trees[i] = tree;
}

/* Counts the tree operations on VMAs in the window, and remembers the trees. */
static void count_trees(FILE *trace, __u64 window, size_t size,
			struct rmap_counts *counts)
{
	__u64 start, tree;
	char line[512];

	while (fgets(line, sizeof(line), trace)) {
		if (!trace_field(line, "start=", &start) || start - window >= size ||
		    !trace_field(line, "tree=", &tree))
			continue;
		remember(counts->trees, tree);
		if (trace_is(line, "remove"))
			counts->removes++;
		else
			counts->inserts++;
	}
}

static bool is_of_tree(const __u64 *trees, __u64 sem)
{
	size_t i;

	for (i = 0; i < RMAP_MAX_TREES && trees[i]; i++) {
		if (sem - trees[i] < MAPPING_SIZE)
			return true;
	}
	return false;
}

static void count_locks(FILE *trace, struct rmap_counts *counts)
{
	char line[512];
	bool of_tree;
	__u64 sem;

	while (fgets(line, sizeof(line), trace)) {
		if (!trace_field(line, "sem=", &sem))
			continue;
		of_tree = is_of_tree(counts->trees, sem);
		if (trace_is(line, "wait")) {
			counts->file_waits += of_tree;
		} else {
			counts->file_locks += of_tree;
			counts->locks++;
		}
	}
}

int rmap_stop(const void *window, size_t size, struct rmap_counts *counts)
{
	FILE *trace = trace_stop();

	*counts = (struct rmap_counts) { };
	if (!trace)
		return -1;
	count_trees(trace, (uintptr_t)window, size, counts);
	rewind(trace);
	count_locks(trace, counts);
	fclose(trace);
	return 0;
}
