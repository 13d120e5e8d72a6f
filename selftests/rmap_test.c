// SPDX-License-Identifier: GPL-2.0-only
/*
 * A true anonymous mapping never enters the rmap tree of the device's inode, and
 * never takes its lock. A hybrid does both at every step of its life. Both are
 * counted in the same way, and nothing is timed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "rmap.h"
#include "trace.h"

#define NR_MAPS		8
#define MAP_PAGES	8
#define SLOT_PAGES	16

#define RW (PROT_READ | PROT_WRITE)

/*
 * The mappings lie apart, each in a slot of its own. The second half of the window
 * is free for them to move to:
 *
 *     |mmmm....|mmmm....| ...  |........|........| ...
 *     start                    start + size / 2
 */
struct window {
	size_t page;
	size_t size;
	char *start;
	int pipe[2];
	pid_t child;
};

FIXTURE(rmap) {
	struct window window;
	int fd;
};

FIXTURE_VARIANT(rmap) {
	const struct backing *backing;
};

ALL_BACKINGS(rmap);

FIXTURE_SETUP(rmap)
{
	struct window *w = &self->window;
	const char *reason = rmap_open();

	if (reason)
		SKIP(return, "%s", reason);
	w->page = getpagesize();
	w->size = 2UL * NR_MAPS * SLOT_PAGES * w->page;
	w->start = free_range(w->size);
	ASSERT_EQ(0, pipe(w->pipe));
	OPEN_BACKING(self->fd, O_RDWR);
}

FIXTURE_TEARDOWN(rmap)
{
	munmap(self->window.start, self->window.size);
	trace_close();
}

static char *slot(struct window *w, int i)
{
	return w->start + i * SLOT_PAGES * w->page;
}

static size_t map_size(struct window *w)
{
	return MAP_PAGES * w->page;
}

static void map_all(struct window *w, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		backing_map(fd, slot(w, i), map_size(w), RW,
			    MAP_PRIVATE | MAP_FIXED, 0);
}

static void map_and_touch_all(struct window *w, int fd)
{
	int i;

	map_all(w, fd);
	for (i = 0; i < NR_MAPS; i++)
		memset(slot(w, i), 1, map_size(w));
}

static void do_nothing(struct window *w, int fd)
{
}

static void split_all(struct window *w, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		munmap(slot(w, i) + 3 * w->page, w->page);
}

static void protect_halves(struct window *w, int prot)
{
	size_t half = map_size(w) / 2;
	int i;

	for (i = 0; i < NR_MAPS; i++)
		mprotect(slot(w, i) + half, half, prot);
}

static void split_and_merge_all(struct window *w, int fd)
{
	protect_halves(w, PROT_READ);
	protect_halves(w, RW);
}

static void move_all(struct window *w, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		mremap(slot(w, i), map_size(w), map_size(w),
		       MREMAP_MAYMOVE | MREMAP_FIXED, slot(w, i + NR_MAPS));
}

static void unmap_all(struct window *w, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		munmap(slot(w, i), map_size(w));
}

/* The child lives until end_child(). */
static void fork_child(struct window *w, int fd)
{
	char byte;

	w->child = fork();
	if (!w->child) {
		if (read(w->pipe[0], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
}

static void end_child(struct window *w, int fd)
{
	if (write(w->pipe[1], "", 1) == 1)
		waitpid(w->child, NULL, 0);
}

static void map_and_fork(struct window *w, int fd)
{
	map_and_touch_all(w, fd);
	fork_child(w, fd);
}

/**
 * struct phase - a part of a mapping's life
 * @prepare: makes what @act starts from, and is not counted
 * @act: does what is counted
 * @clean: cleans up and is not counted, or NULL
 * @in_child: count what the child does, not this process
 * @min: how many tree operations NR_MAPS mappings of files take at least
 * @vmas: by how many VMAs the watched process grows
 */
struct phase {
	void (*prepare)(struct window *w, int fd);
	void (*act)(struct window *w, int fd);
	void (*clean)(struct window *w, int fd);
	bool in_child;
	int min;
	int vmas;
};

static void run_phase(struct __test_metadata *_metadata,
		      struct window *w, const struct phase *phase, int fd,
		      struct rmap_counts *counts)
{
	phase->prepare(w, fd);
	ASSERT_EQ(0, trace_start(phase->in_child ? w->child : getpid()));
	phase->act(w, fd);
	ASSERT_EQ(0, rmap_stop(w->start, w->size, counts));
	if (phase->clean)
		phase->clean(w, fd);
	munmap(w->start, w->size);
}

/*
 * The tree of a file holds exactly its VMAs, so inserts less removes are by how many
 * VMAs the process grows. Anonymous mappings do nothing to a tree, and take the same
 * locks as MAP_ANONYMOUS and no other.
 */
static void check_phase(struct __test_metadata *_metadata, struct window *w,
			const struct backing *backing, int fd,
			const struct phase *phase)
{
	struct rmap_counts counts, reference;

	/* The first round does not count: it takes locks for stack and heap, too. */
	run_phase(_metadata, w, phase, fd, &counts);
	run_phase(_metadata, w, phase, -1, &reference);
	run_phase(_metadata, w, phase, fd, &counts);
	TH_LOG("%s: %d inserts, %d removes, %d of %d locks are i_mmap's; MAP_ANONYMOUS: %d locks",
	       backing->name, counts.inserts, counts.removes, counts.file_locks,
	       counts.locks, reference.locks);
	if (backing->anonymous) {
		EXPECT_EQ(0, counts.inserts);
		EXPECT_EQ(0, counts.removes);
		EXPECT_EQ(0, counts.file_locks);
		EXPECT_EQ(reference.locks, counts.locks);
	} else {
		EXPECT_EQ(phase->vmas, counts.inserts - counts.removes);
		EXPECT_LE(phase->min, counts.inserts + counts.removes);
		EXPECT_LE(1, counts.file_locks);
		EXPECT_LT(reference.locks, counts.locks);
	}
}

TEST_F(rmap, mmap)
{
	static const struct phase phase = {
		.prepare = do_nothing, .act = map_all,
		.min = NR_MAPS, .vmas = NR_MAPS,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, munmap_splits)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = split_all,
		.min = NR_MAPS, .vmas = NR_MAPS,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, mprotect_splits_and_merges)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = split_and_merge_all,
		.min = 2 * NR_MAPS, .vmas = 0,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, mremap)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = move_all,
		.min = 2 * NR_MAPS, .vmas = 0,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, fork)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = fork_child,
		.clean = end_child, .min = NR_MAPS, .vmas = NR_MAPS,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, exit)
{
	static const struct phase phase = {
		.prepare = map_and_fork, .act = end_child, .in_child = true,
		.min = NR_MAPS, .vmas = -NR_MAPS,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_F(rmap, munmap)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = unmap_all,
		.min = NR_MAPS, .vmas = -NR_MAPS,
	};

	check_phase(_metadata, &self->window, variant->backing, self->fd,
		    &phase);
}

TEST_HARNESS_MAIN
