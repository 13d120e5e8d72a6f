// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory management calls on a private zero mapping do and return the same as on
 * MAP_ANONYMOUS, on the hybrid, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "proc.h"
#include "uffd.h"

#define RW	(PROT_READ | PROT_WRITE)
#define HUGE	(2UL << 20)
#define LEN	(2 * HUGE)
#define WRITTEN	(HUGE / 8)

/*
 * The device and anonymous memory are mapped alike. Each mapping is two huge pages
 * long, and has 0x5a in its first part:
 *
 *     |xx..............|................|
 *     map              map + HUGE       map + LEN
 */
FIXTURE(advice) {
	size_t page;
	char *map;
	char *reference;
	int fd;
};

FIXTURE_VARIANT(advice) {
	const struct backing *backing;
};

/* Mappings with a fault handler take advice as a file does: see designs_test. */
DEVICE_BACKINGS_WITHOUT_HANDLER(advice);

static char *make_map(int fd)
{
	char *map = backing_map(fd, free_range(LEN), LEN, RW,
				MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);

	if (map == MAP_FAILED)
		return NULL;
	/* Only a test may ask for huge pages, so keep khugepaged away. */
	madvise(map, LEN, MADV_NOHUGEPAGE);
	memset(map, 0x5a, WRITTEN);
	return map;
}

FIXTURE_SETUP(advice)
{
	self->page = getpagesize();
	OPEN_BACKING(self->fd, O_RDWR);
	self->map = make_map(self->fd);
	ASSERT_NE(NULL, self->map);
	self->reference = make_map(-1);
	ASSERT_NE(NULL, self->reference);
}

FIXTURE_TEARDOWN(advice)
{
}

static void expect_same_smaps(struct __test_metadata *_metadata,
			      const char *map, const char *reference)
{
	static const char *const fields[] = {
		"Size", "Rss", "Anonymous", "AnonHugePages", "Private_Dirty",
		"Locked", "KSM", "VmFlags",
	};
	char entry[4096], reference_entry[4096], value[256], expected[256];
	size_t i;

	ASSERT_TRUE(proc_smaps(map, entry, sizeof(entry)));
	ASSERT_TRUE(proc_smaps(reference, reference_entry,
			       sizeof(reference_entry)));
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!smaps_field(reference_entry, fields[i], expected,
				 sizeof(expected)))
			continue;
		ASSERT_TRUE(smaps_field(entry, fields[i], value, sizeof(value)));
		EXPECT_STREQ(expected, value) {
			TH_LOG("%s differs from MAP_ANONYMOUS", fields[i]);
		}
	}
}

/* Compares twice as much as was written, and the start of the other half. */
static bool same_bytes(const char *map, const char *reference)
{
	return !memcmp(reference, map, 2 * WRITTEN) &&
	       !memcmp(reference + HUGE, map + HUGE, WRITTEN);
}

/* Does the same to both mappings, and compares results, smaps and bytes. */
static void same(struct __test_metadata *_metadata, char *map, char *reference,
		 long (*act)(char *map))
{
	long expected = act(reference);
	int expected_errno = errno;
	long got = act(map);
	int got_errno = errno;

	EXPECT_EQ(expected, got);
	if (expected < 0)
		EXPECT_EQ(expected_errno, got_errno);
	expect_same_smaps(_metadata, map, reference);
	EXPECT_TRUE(same_bytes(map, reference));
}

#define SAME(name, call)						\
	static long do_##name(char *map)				\
	{								\
		return call;						\
	}								\
	TEST_F(advice, name)						\
	{								\
		same(_metadata, self->map, self->reference, do_##name);	\
	}

SAME(normal, madvise(map, LEN, MADV_NORMAL))
SAME(random, madvise(map, LEN, MADV_RANDOM))
SAME(sequential, madvise(map, LEN, MADV_SEQUENTIAL))
SAME(willneed, madvise(map, LEN, MADV_WILLNEED))
SAME(dontneed, madvise(map, WRITTEN / 2, MADV_DONTNEED))
SAME(dontneed_unaligned, madvise(map + 1, WRITTEN / 2, MADV_DONTNEED))
SAME(free, madvise(map, WRITTEN / 2, MADV_FREE))
SAME(mergeable, madvise(map, LEN, MADV_MERGEABLE))
SAME(unmergeable, madvise(map, LEN, MADV_UNMERGEABLE))
SAME(hugepage, madvise(map + HUGE, HUGE, MADV_HUGEPAGE))
SAME(nohugepage, madvise(map, LEN, MADV_NOHUGEPAGE))
SAME(collapse, madvise(map, HUGE, MADV_HUGEPAGE) ?:
	madvise(map, HUGE, MADV_COLLAPSE))
SAME(cold, madvise(map, LEN, MADV_COLD))
SAME(pageout, madvise(map, LEN, MADV_PAGEOUT))
SAME(populate_read, madvise(map, LEN, MADV_POPULATE_READ))
SAME(populate_write, madvise(map, LEN, MADV_POPULATE_WRITE))
SAME(dontfork, madvise(map, LEN, MADV_DONTFORK))
SAME(dontdump, madvise(map, LEN, MADV_DONTDUMP))
SAME(guard_install, madvise(map + HUGE, HUGE, 102 /* MADV_GUARD_INSTALL */) ?
	-1 : madvise(map + HUGE, HUGE, 103 /* MADV_GUARD_REMOVE */))
SAME(mlock, mlock(map, HUGE))
SAME(mlock2_onfault, mlock2(map, LEN, MLOCK_ONFAULT))
SAME(munlock, mlock(map, HUGE) ?: munlock(map, HUGE))
SAME(msync, msync(map, LEN, MS_SYNC))
SAME(msync_invalidate, msync(map, LEN, MS_ASYNC | MS_INVALIDATE))
SAME(mprotect_round_trip, mprotect(map, HUGE, PROT_READ) ?:
	mprotect(map, HUGE, RW))
SAME(mprotect_none, mprotect(map, HUGE, PROT_NONE) ?: mprotect(map, HUGE, RW))
SAME(mprotect_exec, mprotect(map, HUGE, RW | PROT_EXEC))
SAME(mremap_dup, mremap(map, 0, HUGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0)

static long do_mincore(char *map)
{
	unsigned char pages[LEN / 4096];
	long n = 0;
	size_t i;

	if (mincore(map, LEN, pages))
		return -1;
	for (i = 0; i < sizeof(pages); i++)
		n += pages[i] & 1;
	return n;
}

/* The control of "collapse": it does not compare two failures. */
TEST_F(advice, collapse_makes_huge)
{
	long ret = do_collapse(self->map);

	if (ret && errno == EINVAL && !kernel_at_least(6, 1))
		SKIP(return, "this kernel has no MADV_COLLAPSE");
	ASSERT_EQ(0, ret);
	EXPECT_EQ((long)HUGE / 1024, proc_smaps_kb(self->map, "AnonHugePages"));
}

TEST_F(advice, mincore)
{
	ASSERT_EQ((long)(WRITTEN / self->page), do_mincore(self->reference));
	same(_metadata, self->map, self->reference, do_mincore);
}

static long do_mremap_shrink_and_grow(char *map)
{
	if (mremap(map, LEN, HUGE, 0) != map || mremap(map, HUGE, LEN, 0) != map)
		return -1;
	return 0;
}

TEST_F(advice, mremap_shrink_and_grow)
{
	same(_metadata, self->map, self->reference, do_mremap_shrink_and_grow);
}

/* Moves the mapping away and back. */
static long do_mremap_move(char *map)
{
	char *to = free_range(LEN);

	if (mremap(map, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    mremap(to, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, map) != map)
		return -1;
	return 0;
}

TEST_F(advice, mremap_move)
{
	same(_metadata, self->map, self->reference, do_mremap_move);
}

/* The old range stays mapped and reads zero; the bytes are at the new one. */
static long do_mremap_dontunmap(char *map)
{
	char *to = free_range(LEN);

	if (mremap(map, LEN, LEN, MREMAP_MAYMOVE | MREMAP_DONTUNMAP |
		   MREMAP_FIXED, to) != to)
		return -1;
	return to[WRITTEN - 1];
}

TEST_F(advice, mremap_dontunmap)
{
	ASSERT_EQ(0x5a, do_mremap_dontunmap(self->reference));
	ASSERT_EQ(0x5a, do_mremap_dontunmap(self->map));
	EXPECT_EQ(0, self->map[WRITTEN - 1]);
	expect_same_smaps(_metadata, self->map, self->reference);
}

static long uffd_answer(char *map, unsigned long mode)
{
	int uffd = uffd_open(), ret;

	if (uffd < 0)
		return -1;
	ret = uffd_register(uffd, map, LEN, mode);
	close(uffd);
	errno = ret;
	return ret ? -1 : 0;
}

SAME(uffd_missing, uffd_answer(map, UFFDIO_REGISTER_MODE_MISSING))
SAME(uffd_wp, uffd_answer(map, UFFDIO_REGISTER_MODE_WP))

TEST_HARNESS_MAIN
