// SPDX-License-Identifier: GPL-2.0-only
/*
 * A true anonymous mapping never enters the rmap tree of the device's inode and
 * never takes its lock; a hybrid does at every step of its life. Both are
 * counted, in the same way; nothing here is timed.
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
#include "proc.h"
#include "trace.h"

#define NR_MAPS		8
#define MAP_PAGES	8
#define SLOT_PAGES	16

#define RW (PROT_READ | PROT_WRITE)

/*
 * The mappings lie apart, each in a slot of its own, with the second half of
 * the window free for them to move to:
 *
 *     |mmmm....|mmmm....| ...  |........|........| ...
 *     window                   window + size / 2
 */
FIXTURE(rmap) {
	size_t page;
	size_t size;
	char *window;
	int fd;
	int pipe[2];
	pid_t child;
};

FIXTURE_VARIANT(rmap) {
	const struct backing *backing;
};

ALL_BACKINGS(rmap);

FIXTURE_SETUP(rmap)
{
	const char *reason = trace_open();

	if (reason)
		SKIP(return, "%s", reason);
	self->page = getpagesize();
	self->size = 2UL * NR_MAPS * SLOT_PAGES * self->page;
	self->window = free_range(self->size);
	OPEN_BACKING(self->fd, O_RDWR);
	ASSERT_EQ(0, pipe(self->pipe));
}

FIXTURE_TEARDOWN(rmap)
{
	munmap(self->window, self->size);
	trace_close();
}

static char *slot(FIXTURE_DATA(rmap) *self, int i)
{
	return self->window + i * SLOT_PAGES * self->page;
}

static size_t map_size(FIXTURE_DATA(rmap) *self)
{
	return MAP_PAGES * self->page;
}

static void map_all(FIXTURE_DATA(rmap) *self, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		backing_map(fd, slot(self, i), map_size(self), RW,
			    MAP_PRIVATE | MAP_FIXED, 0);
}

static void map_and_touch_all(FIXTURE_DATA(rmap) *self, int fd)
{
	int i;

	map_all(self, fd);
	for (i = 0; i < NR_MAPS; i++)
		memset(slot(self, i), 1, map_size(self));
}

static void do_nothing(FIXTURE_DATA(rmap) *self, int fd)
{
}

static void split_all(FIXTURE_DATA(rmap) *self, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		munmap(slot(self, i) + 3 * self->page, self->page);
}

static void protect_halves(FIXTURE_DATA(rmap) *self, int prot)
{
	size_t half = map_size(self) / 2;
	int i;

	for (i = 0; i < NR_MAPS; i++)
		mprotect(slot(self, i) + half, half, prot);
}

static void split_and_merge_all(FIXTURE_DATA(rmap) *self, int fd)
{
	protect_halves(self, PROT_READ);
	protect_halves(self, RW);
}

static void move_all(FIXTURE_DATA(rmap) *self, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		mremap(slot(self, i), map_size(self), map_size(self),
		       MREMAP_MAYMOVE | MREMAP_FIXED, slot(self, i + NR_MAPS));
}

static void unmap_all(FIXTURE_DATA(rmap) *self, int fd)
{
	int i;

	for (i = 0; i < NR_MAPS; i++)
		munmap(slot(self, i), map_size(self));
}

/* The child lives until end_child(). */
static void fork_child(FIXTURE_DATA(rmap) *self, int fd)
{
	char byte;

	self->child = fork();
	if (!self->child) {
		if (read(self->pipe[0], &byte, 1) == 1)
			_exit(0);
		_exit(1);
	}
}

static void end_child(FIXTURE_DATA(rmap) *self, int fd)
{
	if (write(self->pipe[1], "", 1) == 1)
		waitpid(self->child, NULL, 0);
}

static void map_and_fork(FIXTURE_DATA(rmap) *self, int fd)
{
	map_and_touch_all(self, fd);
	fork_child(self, fd);
}

/**
 * struct phase - a part of a mapping's life
 * @prepare: brings about what it starts from, uncounted
 * @act: what is counted
 * @clean: what is left to do then, uncounted, or NULL
 * @in_child: what is counted is what the child does
 * @min: the least tree operations, and locks, that NR_MAPS files make it take
 * @vmas: by how many VMAs the process that is watched grows
 */
struct phase {
	void (*prepare)(FIXTURE_DATA(rmap) *self, int fd);
	void (*act)(FIXTURE_DATA(rmap) *self, int fd);
	void (*clean)(FIXTURE_DATA(rmap) *self, int fd);
	bool in_child;
	int min;
	int vmas;
};

static void run_phase(struct __test_metadata *_metadata,
		      FIXTURE_DATA(rmap) *self, const struct phase *phase,
		      int fd, struct rmap_counts *counts)
{
	phase->prepare(self, fd);
	ASSERT_EQ(0, trace_start(phase->in_child ? self->child : getpid()));
	phase->act(self, fd);
	ASSERT_EQ(0, trace_stop(self->window, self->size, counts));
	if (phase->clean)
		phase->clean(self, fd);
	munmap(self->window, self->size);
}

/*
 * For files the tree holds just the VMAs there are, so what goes in less what
 * comes out is their growth. Anonymous mappings do nothing of that, and take
 * the same locks as MAP_ANONYMOUS and no other.
 */
static void check_phase(struct __test_metadata *_metadata,
			FIXTURE_DATA(rmap) *self, const struct backing *backing,
			const struct phase *phase)
{
	struct rmap_counts counts, reference;

	/* The first round also takes locks for the test's own stack and heap. */
	run_phase(_metadata, self, phase, self->fd, &counts);
	run_phase(_metadata, self, phase, -1, &reference);
	run_phase(_metadata, self, phase, self->fd, &counts);
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

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, munmap_splits)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = split_all,
		.min = NR_MAPS, .vmas = NR_MAPS,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, mprotect_splits_and_merges)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = split_and_merge_all,
		.min = 2 * NR_MAPS, .vmas = 0,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, mremap)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = move_all,
		.min = 2 * NR_MAPS, .vmas = 0,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, fork)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = fork_child,
		.clean = end_child, .min = NR_MAPS, .vmas = NR_MAPS,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, exit)
{
	static const struct phase phase = {
		.prepare = map_and_fork, .act = end_child, .in_child = true,
		.min = NR_MAPS, .vmas = -NR_MAPS,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_F(rmap, munmap)
{
	static const struct phase phase = {
		.prepare = map_and_touch_all, .act = unmap_all,
		.min = NR_MAPS, .vmas = -NR_MAPS,
	};

	check_phase(_metadata, self, variant->backing, &phase);
}

TEST_HARNESS_MAIN
