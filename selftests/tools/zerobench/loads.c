// SPDX-License-Identifier: GPL-2.0-only
#include "loads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array_size.h"

#define RW	(PROT_READ | PROT_WRITE)

/**
 * struct task_state - what one task works on
 * @fd: descriptor to map
 * @operations: how many operations to do
 * @page: bytes of a page
 * @area: the mapping, for a load that works inside one
 * @maps: the mappings, for a load that makes or unmaps several
 */
struct task_state {
	int fd;
	long operations;
	size_t page;
	char *area;
	char *maps[];
};

static int map_one(struct task_state *state, char **map)
{
	*map = backing_map(state->fd, NULL, LOAD_LEN, PROT_READ, MAP_PRIVATE, 0);
	return *map == MAP_FAILED ? -1 : 0;
}

static void read_all(const char *map, size_t step)
{
	size_t at;

	for (at = 0; at < LOAD_LEN; at += step)
		(void)*(const volatile long *)(map + at);
}

static struct task_state *make_state(const struct load_args *args, long maps)
{
	size_t size = sizeof(struct task_state) + maps * sizeof(char *);
	struct task_state *state = malloc(size);

	if (!state)
		return NULL;
	/* This also faults the pages in, so that the timed part does not. */
	memset(state, 0, size);
	state->operations = args->operations;
	state->page = getpagesize();
	state->fd = args->fd;
	if (args->each)
		state->fd = backing_open(args->backing, O_RDONLY);
	if (state->fd < 0 && args->backing->path)
		return NULL;
	return state;
}

static void *failed(const char *what)
{
	task_complain(what);
	return NULL;
}

static void *prepare_nothing(const void *data)
{
	const struct load_args *args = data;
	struct task_state *state = make_state(args, args->operations);

	return state ?: failed("cannot prepare a task");
}

/* Makes n mappings, and reads them where that is wanted. */
static void *prepare_maps(const void *data, long n, bool read)
{
	struct task_state *state = make_state(data, n);
	long i;

	if (!state)
		return failed("cannot prepare a task");
	for (i = 0; i < n; i++) {
		if (map_one(state, &state->maps[i]))
			return failed("mmap");
		if (read)
			read_all(state->maps[i], state->page);
	}
	return state;
}

static void *prepare_unread(const void *data)
{
	return prepare_maps(data, ((const struct load_args *)data)->operations,
			    false);
}

static void *prepare_read(const void *data)
{
	return prepare_maps(data, ((const struct load_args *)data)->operations,
			    true);
}

static void *prepare_parent(const void *data)
{
	return prepare_maps(data, ((const struct load_args *)data)->mappings,
			    true);
}

/* Makes one mapping with a small page for each operation. */
static void *prepare_pages(const void *data)
{
	const struct load_args *args = data;
	struct task_state *state = make_state(args, 0);
	size_t len;

	if (!state)
		return failed("cannot prepare a task");
	len = args->operations * state->page;
	state->area = backing_map(state->fd, NULL, len, RW, MAP_PRIVATE, 0);
	if (state->area == MAP_FAILED)
		return failed("mmap");
	/* A kernel without huge pages refuses this, and need not be told. */
	madvise(state->area, len, MADV_NOHUGEPAGE);
	return state;
}

/* Maps and writes three pages, between two that they cannot merge with. */
static void *prepare_three(const void *data)
{
	struct task_state *state = make_state(data, 0);
	char *around;

	if (!state)
		return failed("cannot prepare a task");
	around = mmap(NULL, 5 * state->page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (around == MAP_FAILED)
		return failed("mmap");
	state->area = backing_map(state->fd, around + state->page,
				  3 * state->page, RW, MAP_PRIVATE | MAP_FIXED, 0);
	if (state->area == MAP_FAILED)
		return failed("mmap");
	memset(state->area, 1, 3 * state->page);
	return state;
}

static int run_small_allocs(void *prepared)
{
	struct task_state *state = prepared;
	long i;

	for (i = 0; i < state->operations; i++) {
		if (map_one(state, &state->maps[i]))
			return -1;
		read_all(state->maps[i], sizeof(long));
	}
	return 0;
}

static int run_map(void *prepared)
{
	struct task_state *state = prepared;
	long i;

	for (i = 0; i < state->operations; i++) {
		if (map_one(state, &state->maps[i]))
			return -1;
	}
	return 0;
}

static int run_unmap(void *prepared)
{
	struct task_state *state = prepared;
	long i;

	for (i = 0; i < state->operations; i++) {
		if (munmap(state->maps[i], LOAD_LEN))
			return -1;
	}
	return 0;
}

static int run_map_unmap(void *prepared)
{
	struct task_state *state = prepared;
	char *map;
	long i;

	for (i = 0; i < state->operations; i++) {
		if (map_one(state, &map) || munmap(map, LOAD_LEN))
			return -1;
	}
	return 0;
}

static int run_fault_read(void *prepared)
{
	struct task_state *state = prepared;
	long i;

	for (i = 0; i < state->operations; i++)
		(void)((volatile char *)state->area)[i * state->page];
	return 0;
}

static int run_fault_write(void *prepared)
{
	struct task_state *state = prepared;
	long i;

	for (i = 0; i < state->operations; i++)
		((volatile char *)state->area)[i * state->page] = 1;
	return 0;
}

static int run_fork(void *prepared)
{
	struct task_state *state = prepared;
	pid_t pid;
	long i;

	for (i = 0; i < state->operations; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return -1;
	}
	return 0;
}

static int run_split(void *prepared)
{
	struct task_state *state = prepared;
	char *middle = state->area + state->page;
	long i;

	for (i = 0; i < state->operations; i++) {
		if (mprotect(middle, state->page, PROT_NONE) ||
		    mprotect(middle, state->page, RW))
			return -1;
	}
	return 0;
}

static int run_nothing(void *prepared)
{
	return 0;
}

const struct load loads[] = {
	{ "small-allocs", "40 KiB mapped and read", 1500,
	  prepare_nothing, run_small_allocs },
	{ "map", "mmap", 4000, prepare_nothing, run_map },
	{ "unmap", "munmap", 12000, prepare_unread, run_unmap },
	{ "map-unmap", "mmap and munmap", 4000, prepare_nothing, run_map_unmap },
	{ "fault-read", "page read", 10000, prepare_pages, run_fault_read },
	{ "fault-write", "page written", 10000, prepare_pages, run_fault_write },
	{ "fork", "fork, exit and wait", 50, prepare_parent, run_fork },
	{ "split", "mprotect of a middle and back", 4000,
	  prepare_three, run_split },
	{ "teardown", "mapping gone by exit", 4000,
	  prepare_read, run_nothing, .exits = true },
};

const size_t nr_loads = ARRAY_SIZE(loads);

const struct load *load_find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_loads; i++) {
		if (!strcmp(loads[i].name, name))
			return &loads[i];
	}
	return NULL;
}

__s64 load_time(const struct load *load, const struct load_args *args,
		const struct task_group *group)
{
	struct job job = {
		.prepare = load->prepare, .run = load->run,
		.exits = load->exits, .data = args,
	};

	return task_group_time(group, &job);
}
