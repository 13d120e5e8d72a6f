// SPDX-License-Identifier: GPL-2.0-only
/*
 * With merge=1, or adopt=1, a private mapping merges with its neighbours at once, as
 * MAP_ANONYMOUS does, so that many small ones share a VMA. Mappings that do not
 * merge are the control: what is counted is counted of them, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "module.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define MAX_MAP_COUNT	"/proc/sys/vm/max_map_count"
#define MAX_MAPS	600
#define MANY_MAPS	70000
#define SLAB_MAPS	600

FIXTURE(merge) {
	size_t page;
	struct switches was;
	bool merges;
	int fd;
};

FIXTURE_VARIANT(merge) {
	struct backing *backing;
	struct switches switches;
	bool merges;
};

#define VARIANT(which, how, do_merge, do_adopt, does)			\
	FIXTURE_VARIANT_ADD(merge, which##_##how) {			\
		.backing = &backing_##which,				\
		.switches = { do_merge, do_adopt }, .merges = does,	\
	}

VARIANT(anonymous, plain, false, false, true);
VARIANT(anonzero, merging, true, false, true);
VARIANT(anonzero, both, true, true, true);
VARIANT(zero, adopted, false, true, true);
VARIANT(anonzero, plain, false, false, false);
VARIANT(anonzero, beside_adopted, false, true, false);
VARIANT(zero, plain, false, false, false);
VARIANT(zero, beside_merging, true, false, false);
VARIANT(hybrid, both, true, true, false);

FIXTURE_SETUP(merge)
{
	self->page = getpagesize();
	/* Core mm that makes /dev/zero anonymous merges it whatever is switched. */
	self->merges = variant->merges || (variant->backing == &backing_zero &&
					   core_makes_zero_anonymous());
	OPEN_BACKING(self->fd, O_RDWR);
	self->was = switches_read();
	if (switches_set(variant->switches))
		SKIP(return, "cannot switch merge and adopt: %s",
		     strerror(errno));
}

FIXTURE_TEARDOWN(merge)
{
	switches_set(self->was);
}

static char *map_at(int fd, char *at, size_t len)
{
	return backing_map(fd, at, len, RW, MAP_PRIVATE | MAP_FIXED, 0);
}

/*
 *     |aaaaa|bbbbb|   two maps of 5 pages, both at offset 0
 *     |aaaaaaaaaaa|   one VMA of 10, or two of 5
 */
TEST_F(merge, two_maps_side_by_side)
{
	size_t len = 5 * self->page;
	char *map = free_range(2 * len);
	struct vma vma;

	ASSERT_EQ(map, map_at(self->fd, map, len));
	ASSERT_EQ(map + len, map_at(self->fd, map + len, len));
	ASSERT_TRUE(proc_vma(map, &vma));
	EXPECT_EQ((unsigned long)map, vma.start);
	EXPECT_EQ((unsigned long)map + (self->merges ? 2 : 1) * len, vma.end);
}

/* The new mapping may also be the lower one. */
TEST_F(merge, below_a_neighbour)
{
	size_t len = 5 * self->page;
	char *map = free_range(2 * len);

	ASSERT_EQ(map + len, map_at(self->fd, map + len, len));
	ASSERT_EQ(map, map_at(self->fd, map, len));
	EXPECT_EQ(self->merges ? 1 : 2, proc_count_vmas(map, 2 * len));
}

/*
 *     |xxxxxxxxxxxxxxx|   15 pages, written
 *     |xxxxx.....xxxxx|   the middle 5 unmapped
 *     |xxxxx00000xxxxx|   and mapped again, at offset 0
 */
TEST_F(merge, hole_filled)
{
	size_t len = 5 * self->page;
	char *map = free_range(3 * len);
	size_t i;

	ASSERT_EQ(map, map_at(self->fd, map, 3 * len));
	memset(map, 'x', 3 * len);
	ASSERT_EQ(0, munmap(map + len, len));
	ASSERT_EQ(map + len, map_at(self->fd, map + len, len));
	EXPECT_EQ(self->merges ? 1 : 3, proc_count_vmas(map, 3 * len));
	for (i = 0; i < 3 * len; i++)
		ASSERT_EQ(i / len == 1 ? 0 : 'x', map[i]);
}

/* It merges with anonymous memory, too, which has no name either. */
TEST_F(merge, beside_anonymous)
{
	size_t len = 5 * self->page;
	char *map = free_range(2 * len);

	ASSERT_EQ(map, map_at(-1, map, len));
	ASSERT_EQ(map + len, map_at(self->fd, map + len, len));
	EXPECT_EQ(self->merges ? 1 : 2, proc_count_vmas(map, 2 * len));
}

/* Mappings with different protections do not merge. */
TEST_F(merge, only_with_its_like)
{
	char *map = free_range(2 * self->page);

	ASSERT_EQ(map, map_at(self->fd, map, self->page));
	ASSERT_EQ(map + self->page,
		  backing_map(self->fd, map + self->page, self->page, PROT_READ,
			      MAP_PRIVATE | MAP_FIXED, 0));
	EXPECT_EQ(2, proc_count_vmas(map, 2 * self->page));
}

TEST_F(merge, has_no_name)
{
	char *map = map_at(self->fd, free_range(self->page), self->page);
	struct vma vma;

	ASSERT_TRUE(proc_vma(map, &vma));
	if (self->merges || !variant->backing->anonymous)
		EXPECT_STREQ(self->merges ? "" : variant->backing->path,
			     vma.name);
}

/* Maps a page, wherever the kernel puts it, until refused; returns how often. */
static int map_many(int fd, size_t page, int max)
{
	int n;

	for (n = 0; n < max; n++) {
		if (backing_map(fd, NULL, page, RW, MAP_PRIVATE, 0) ==
		    MAP_FAILED)
			break;
	}
	return n;
}

/* There are far more maps than max_map_count allows, which is lowered for speed. */
TEST_F_TIMEOUT(merge, many_maps, 120)
{
	char old[32], few[32];
	int vmas, before, n, error;

	if (geteuid())
		SKIP(return, "needs root to set %s", MAX_MAP_COUNT);
	snprintf(old, sizeof(old), "%ld", proc_number(MAX_MAP_COUNT));
	snprintf(few, sizeof(few), "%d", MAX_MAPS);
	before = proc_count_vmas(NULL, -1UL);
	ASSERT_EQ(0, proc_write(MAX_MAP_COUNT, few));
	n = map_many(self->fd, self->page, MANY_MAPS);
	error = errno;
	vmas = proc_count_vmas(NULL, -1UL) - before;
	ASSERT_EQ(0, proc_write(MAX_MAP_COUNT, old));
	if (self->merges) {
		EXPECT_EQ(MANY_MAPS, n);
		EXPECT_GT(10, vmas);
	} else {
		EXPECT_GE(MAX_MAPS, n);
		EXPECT_LT(MAX_MAPS / 2, n);
		EXPECT_EQ(ENOMEM, error);
		EXPECT_EQ(n, vmas);
	}
}

TEST_F(merge, slab)
{
	long before, grown;

	/* Objects kept for reuse count as in use, so have the slab free them. */
	proc_slab_shrink("vm_area_struct");
	before = proc_slab("vm_area_struct", NULL);
	if (before < 0)
		SKIP(return, "/proc/slabinfo has no vm_area_struct");
	ASSERT_EQ(SLAB_MAPS, map_many(self->fd, self->page, SLAB_MAPS));
	grown = proc_slab("vm_area_struct", NULL) - before;
	TH_LOG("%d mappings: %ld VMAs", SLAB_MAPS, grown);
	/* The slab that a CPU uses counts as full, so some dozens do not matter. */
	EXPECT_EQ(self->merges, grown < SLAB_MAPS / 2);
}

TEST_HARNESS_MAIN
