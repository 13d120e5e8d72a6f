// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests where mmap(2) puts a mapping that may go anywhere: a private one where
 * MAP_ANONYMOUS would go, whatever the offset; a shared one where shared anonymous
 * memory would; and a hybrid where /dev/zero would.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"

#define RW	(PROT_READ | PROT_WRITE)
#define KIB	1024UL
#define MIB	(1024 * KIB)

static const size_t sizes[] = {
	4 * KIB, 64 * KIB, 2 * MIB - 4 * KIB, 2 * MIB, 2 * MIB + 4 * KIB,
	4 * MIB, 64 * MIB, 1024 * MIB,
};

static const off_t offsets[] = { 0, 4 * KIB, 1 * MIB, 2 * MIB, 1L << 40 };

FIXTURE(placement) {
	int fd;
	int zero;
};

FIXTURE_VARIANT(placement) {
	const struct backing *backing;
};

DEVICE_BACKINGS(placement);

FIXTURE_SETUP(placement)
{
	OPEN_BACKING(self->fd, O_RDWR);
	self->zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->zero);
	/* Take some pages, so that the next free range is not aligned by chance. */
	mmap(NULL, 12 * KIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_TEARDOWN(placement)
{
}

/* Maps, unmaps, and returns where the mapping was. */
static void *place(int fd, void *hint, size_t size, int type, off_t offset)
{
	void *map = backing_map(fd, hint, size, RW, type | MAP_NORESERVE, offset);

	if (map != MAP_FAILED)
		munmap(map, size);
	return map;
}

/* Makes three hints: none, one with room behind it, and one that is taken. */
static void get_hints(void **hints)
{
	hints[0] = NULL;
	hints[1] = (char *)free_range(2048 * MIB) + 12 * KIB;
	hints[2] = sbrk(0);
}

TEST_F(placement, private)
{
	bool anonymous = variant->backing->anonymous;
	void *hints[3], *want;
	size_t h, i, j;

	get_hints(hints);
	for (h = 0; h < ARRAY_SIZE(hints); h++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (j = 0; j < ARRAY_SIZE(offsets); j++) {
				want = place(anonymous ? -1 : self->zero, hints[h],
					     sizes[i], MAP_PRIVATE, offsets[j]);
				EXPECT_NE(MAP_FAILED, want);
				EXPECT_EQ(want, place(self->fd, hints[h], sizes[i],
						      MAP_PRIVATE, offsets[j])) {
					TH_LOG("hint %p, %zu bytes at offset %#lx",
					       hints[h], sizes[i], offsets[j]);
				}
			}
		}
	}
}

TEST_F(placement, shared)
{
	void *hints[3], *want;
	size_t h, i, j;

	get_hints(hints);
	for (h = 0; h < ARRAY_SIZE(hints); h++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			want = place(-1, hints[h], sizes[i], MAP_SHARED, 0);
			EXPECT_NE(MAP_FAILED, want);
			EXPECT_EQ(want, place(self->fd, hints[h], sizes[i],
					      MAP_SHARED, 0));
			for (j = 0; j < ARRAY_SIZE(offsets); j++) {
				want = place(self->zero, hints[h], sizes[i],
					     MAP_SHARED, offsets[j]);
				EXPECT_EQ(want, place(self->fd, hints[h], sizes[i],
						      MAP_SHARED, offsets[j]));
			}
		}
	}
}

TEST_HARNESS_MAIN
