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
 * struct place - what a task has of its own
 * @fd: to map
 * @operations: to do
 * @page: bytes
 * @area: one mapping, for the loads that work inside one
 * @maps: room for an address an operation
 */
struct place {
	int fd;
	long operations;
	size_t page;
	char *area;
	char *maps[];
};

static int map_one(struct place *place, char **map)
{
	*map = backing_map(place->fd, NULL, LOAD_LEN, PROT_READ, MAP_PRIVATE, 0);
	return *map == MAP_FAILED ? -1 : 0;
}

static void read_all(const char *map, size_t step)
{
	size_t at;

	for (at = 0; at < LOAD_LEN; at += step)
		(void)*(const volatile long *)(map + at);
}

static struct place *make_place(const struct request *request, long maps)
{
	size_t size = sizeof(struct place) + maps * sizeof(char *);
	struct place *place = malloc(size);

	if (!place)
		return NULL;
	/* Its own page faults are over then. */
	memset(place, 0, size);
	place->operations = request->operations;
	place->page = getpagesize();
	place->fd = request->fd;
	if (request->each)
		place->fd = backing_open(request->backing, O_RDONLY);
	if (place->fd < 0 && request->backing->path)
		return NULL;
	return place;
}

static void *failed(const char *what)
{
	crew_complain(what);
	return NULL;
}

static void *prepare_nothing(const void *data)
{
	const struct request *request = data;
	struct place *place = make_place(request, request->operations);

	return place ?: failed("cannot prepare");
}

/* Maps as often as there are operations, or as the request says. */
static void *prepare_maps(const void *data, long n, bool read)
{
	struct place *place = make_place(data, n);
	long i;

	if (!place)
		return failed("cannot prepare");
	for (i = 0; i < n; i++) {
		if (map_one(place, &place->maps[i]))
			return failed("mmap");
		if (read)
			read_all(place->maps[i], place->page);
	}
	return place;
}

static void *prepare_unread(const void *data)
{
	return prepare_maps(data, ((const struct request *)data)->operations,
			    false);
}

static void *prepare_read(const void *data)
{
	return prepare_maps(data, ((const struct request *)data)->operations,
			    true);
}

static void *prepare_parent(const void *data)
{
	return prepare_maps(data, ((const struct request *)data)->mappings,
			    true);
}

/* One mapping of a page for each operation, and of small pages. */
static void *prepare_pages(const void *data)
{
	const struct request *request = data;
	struct place *place = make_place(request, 0);
	size_t len;

	if (!place)
		return failed("cannot prepare");
	len = request->operations * place->page;
	place->area = backing_map(place->fd, NULL, len, RW, MAP_PRIVATE, 0);
	if (place->area == MAP_FAILED)
		return failed("mmap");
	/* EINVAL where the kernel has no huge pages. */
	madvise(place->area, len, MADV_NOHUGEPAGE);
	return place;
}

/* Three written pages, between two that they do not merge with. */
static void *prepare_three(const void *data)
{
	struct place *place = make_place(data, 0);
	char *around;

	if (!place)
		return failed("cannot prepare");
	around = mmap(NULL, 5 * place->page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (around == MAP_FAILED)
		return failed("mmap");
	place->area = backing_map(place->fd, around + place->page,
				  3 * place->page, RW, MAP_PRIVATE | MAP_FIXED, 0);
	if (place->area == MAP_FAILED)
		return failed("mmap");
	memset(place->area, 1, 3 * place->page);
	return place;
}

static int run_small_allocs(void *prepared)
{
	struct place *place = prepared;
	long i;

	for (i = 0; i < place->operations; i++) {
		if (map_one(place, &place->maps[i]))
			return -1;
		read_all(place->maps[i], sizeof(long));
	}
	return 0;
}

static int run_map(void *prepared)
{
	struct place *place = prepared;
	long i;

	for (i = 0; i < place->operations; i++) {
		if (map_one(place, &place->maps[i]))
			return -1;
	}
	return 0;
}

static int run_unmap(void *prepared)
{
	struct place *place = prepared;
	long i;

	for (i = 0; i < place->operations; i++) {
		if (munmap(place->maps[i], LOAD_LEN))
			return -1;
	}
	return 0;
}

static int run_map_unmap(void *prepared)
{
	struct place *place = prepared;
	char *map;
	long i;

	for (i = 0; i < place->operations; i++) {
		if (map_one(place, &map) || munmap(map, LOAD_LEN))
			return -1;
	}
	return 0;
}

static int run_fault_read(void *prepared)
{
	struct place *place = prepared;
	long i;

	for (i = 0; i < place->operations; i++)
		(void)((volatile char *)place->area)[i * place->page];
	return 0;
}

static int run_fault_write(void *prepared)
{
	struct place *place = prepared;
	long i;

	for (i = 0; i < place->operations; i++)
		((volatile char *)place->area)[i * place->page] = 1;
	return 0;
}

static int run_fork(void *prepared)
{
	struct place *place = prepared;
	pid_t pid;
	long i;

	for (i = 0; i < place->operations; i++) {
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
	struct place *place = prepared;
	char *middle = place->area + place->page;
	long i;

	for (i = 0; i < place->operations; i++) {
		if (mprotect(middle, place->page, PROT_NONE) ||
		    mprotect(middle, place->page, RW))
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

__s64 load_time(const struct load *load, const struct request *request,
		const struct crew *crew)
{
	struct job job = {
		.prepare = load->prepare, .run = load->run,
		.exits = load->exits, .data = request,
	};

	return crew_time(crew, &job);
}
