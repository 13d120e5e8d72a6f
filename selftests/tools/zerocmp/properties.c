// SPDX-License-Identifier: GPL-2.0-only
#include "properties.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array_size.h"
#include "cpu.h"
#include "module.h"
#include "proc.h"
#include "rmap.h"
#include "shard.h"
#include "trace.h"
#include "uffd.h"

#define RW	(PROT_READ | PROT_WRITE)
#define PAGE	4096UL
#define HUGE	(2UL << 20)
#define NR_MAPS	8
#define TWO_CPUS	2
#define CELL	((int)sizeof(((struct row *)0)->cells[0]))

const char *const properties_head[NR_PROPERTIES] = {
	"maps shows", "map_files", "shared rmap locks a mapping",
	"shared file reference operations a mapping", "merges",
	"UFFDIO_ZEROPAGE", "MADV_WIPEONFORK", "THP", "rmmod with live mappings",
};

enum {
	MAPS, MAP_FILES, LOCKS, REFERENCES, MERGES, ZEROPAGE, WIPEONFORK, THP,
	RMMOD,
};

/* Each put of a file has a get, which cannot be probed as it is inline. */
static const struct probe put_probes[] = {
	{ "fput", { "fput" }, "file=$arg1:x64" },
};

static void say(char *cell, const char *text)
{
	snprintf(cell, CELL, "%.*s", CELL - 1, text);
}

static void say_number(char *cell, long n)
{
	snprintf(cell, CELL, "%ld", n);
}

static void say_error(char *cell, int error)
{
	say(cell, error ? strerrorname_np(error) : "ok");
}

/* Maps pages that lie apart, so that none merges, and unmaps them. */
static void map_apart(int fd, char *area)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		backing_map(fd, area + 2 * i * PAGE, PAGE, RW,
			    MAP_PRIVATE | MAP_FIXED, 0);
	for (i = 0; i < NR_MAPS; i++)
		munmap(area + 2 * i * PAGE, PAGE);
}

/*
 * Maps once before anything is counted: a design may make what a CPU's mappings
 * need after the first of them.
 */
static bool settle(int fd, char *area, int cpu)
{
	if (pin_to_cpu(cpu))
		return false;
	map_apart(fd, area);
	usleep(100000);
	return true;
}

static bool has_tree(const struct rmap_counts *counts, __u64 tree)
{
	int i;

	for (i = 0; i < RMAP_MAX_TREES && counts->trees[i]; i++) {
		if (counts->trees[i] == tree)
			return true;
	}
	return false;
}

/* Counts the locks a mapping takes of trees that both CPUs use. */
static void find_locks(int fd, char *area, char *cell)
{
	struct rmap_counts counts[TWO_CPUS];
	int cpu;

	say(cell, "n/a");
	if (rmap_open())
		return;
	for (cpu = 0; cpu < TWO_CPUS && settle(fd, area, cpu); cpu++) {
		trace_start(getpid());
		map_apart(fd, area);
		rmap_stop(area, 2 * NR_MAPS * PAGE, &counts[cpu]);
	}
	trace_close();
	if (cpu == TWO_CPUS)
		say_number(cell, has_tree(&counts[0], counts[1].trees[0]) &&
			   counts[1].trees[0] ?
			   counts[1].file_locks / NR_MAPS : 0);
}

/* Finds the file that was put most often, and returns how often it was. */
static int most_put(__u64 *most)
{
	struct { __u64 file; int n; } files[32] = { };
	FILE *trace = trace_stop();
	size_t i, best = 0;
	char line[512];
	__u64 file;

	while (trace && fgets(line, sizeof(line), trace)) {
		if (!trace_field(line, "file=", &file))
			continue;
		for (i = 0; i < ARRAY_SIZE(files) - 1 && files[i].n &&
		     files[i].file != file; i++)
			;
		files[i].file = file;
		files[i].n++;
		if (files[i].n > files[best].n)
			best = i;
	}
	if (trace)
		fclose(trace);
	*most = files[best].file;
	return files[best].n;
}

/* Counts the reference operations a mapping makes on a file both CPUs use. */
static void find_references(int fd, char *area, char *cell)
{
	__u64 files[TWO_CPUS];
	int n[TWO_CPUS], cpu;

	say(cell, "n/a");
	if (trace_open(put_probes, ARRAY_SIZE(put_probes)))
		return;
	for (cpu = 0; cpu < TWO_CPUS && settle(fd, area, cpu); cpu++) {
		trace_start(getpid());
		map_apart(fd, area);
		n[cpu] = most_put(&files[cpu]);
	}
	trace_close();
	if (cpu == TWO_CPUS)
		say_number(cell, files[0] == files[1] && n[1] >= NR_MAPS ?
			   2 * (n[1] / NR_MAPS) : 0);
}

static void find_maps(int fd, char *area, struct row *row)
{
	char target[256];
	struct vma vma;

	backing_map(fd, area, PAGE, RW, MAP_PRIVATE | MAP_FIXED, 0);
	if (!proc_vma(area, &vma))
		return;
	say(row->cells[MAPS], !*vma.name ? "nothing" :
	    *vma.name == '[' ? vma.name : "the node");
	say(row->cells[MAP_FILES],
	    proc_map_files(&vma, target, sizeof(target)) ? "no entry" :
	    "the node");
	say_error(row->cells[ZEROPAGE], uffd_fill_page(area, UFFD_ZEROPAGE));
	say_error(row->cells[WIPEONFORK],
		  madvise(area, PAGE, MADV_WIPEONFORK) ? errno : 0);
	munmap(area, PAGE);
}

static void find_merges(int fd, char *area, char *cell)
{
	int i;

	for (i = 0; i < 2; i++)
		backing_map(fd, area + i * PAGE, PAGE, RW,
			    MAP_PRIVATE | MAP_FIXED, 0);
	if (proc_count_vmas(area, 2 * PAGE) == 1) {
		say(cell, "at once");
	} else {
		mprotect(area, 2 * PAGE, PROT_READ);
		mprotect(area, 2 * PAGE, RW);
		say(cell, proc_count_vmas(area, 2 * PAGE) == 1 ?
		    "after mprotect" : "never");
	}
	munmap(area, 2 * PAGE);
}

static void find_thp(int fd, char *cell)
{
	char *area = free_range(HUGE);

	backing_map(fd, area, HUGE, RW, MAP_PRIVATE | MAP_FIXED, 0);
	madvise(area, HUGE, MADV_HUGEPAGE);
	*area = 1;
	say(cell, proc_smaps_kb(area, "AnonHugePages") > 0 ? "yes" : "no");
	munmap(area, HUGE);
}

/* Finds whether a mapping keeps the module in use once its file is closed. */
static void find_rmmod(const struct backing *backing, char *area, char *cell)
{
	long before = module_use_count();
	int fd;

	say(cell, backing->device ? "n/a" : "-");
	if (before < 0 || !backing->device)
		return;
	fd = backing_open(backing, O_RDWR);
	backing_map(fd, area, PAGE, RW, MAP_PRIVATE | MAP_FIXED, 0);
	close(fd);
	usleep(100000);
	say(cell, module_use_count() > before ? "refused" : "works");
	munmap(area, PAGE);
	usleep(100000);
}

static void find_label(const struct backing *backing, struct row *row)
{
	snprintf(row->label, sizeof(row->label), "%s%s",
		 backing->design ?: backing->name,
		 !backing->device ? "" : backing->merges ? " merged" :
		 *row->cells[MAPS] == '[' ? " named" : "");
}

int properties_find(const struct backing *backing, struct row *row)
{
	char *area = free_range(4 * NR_MAPS * PAGE);
	int fd = backing_open(backing, O_RDWR);

	if (fd < 0 && errno)
		return -1;
	memset(row, 0, sizeof(*row));
	find_maps(fd, area, row);
	find_locks(fd, area, row->cells[LOCKS]);
	find_references(fd, area, row->cells[REFERENCES]);
	find_merges(fd, area, row->cells[MERGES]);
	find_thp(fd, row->cells[THP]);
	if (fd >= 0)
		close(fd);
	find_rmmod(backing, area, row->cells[RMMOD]);
	find_label(backing, row);
	return 0;
}
