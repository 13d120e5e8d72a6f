// SPDX-License-Identifier: GPL-2.0-only
/*
 * With origin=1 mappings of the design anon have a mark. A list in debugfs shows it,
 * and nothing else does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "coredump.h"
#include "module.h"
#include "origin.h"
#include "origin_fixture.h"
#include "proc.h"
#include "swap_device.h"
#include "vma_name.h"
#include "zeropage.h"

#define HUGE		(2UL << 20)

TEST_F(origin, listed)
{
	struct origin origin;
	struct vma vma;

	prctl(PR_SET_NAME, "a b\\c", 0, 0, 0);
	ASSERT_TRUE(origin_find(getpid(), self->map, &origin));
	ASSERT_TRUE(proc_vma(self->map, &vma));
	EXPECT_EQ(vma.start, origin.start);
	EXPECT_EQ(vma.end, origin.end);
	EXPECT_STREQ(vma.perms, origin.perms);
	EXPECT_EQ(proc_smaps_kb(self->map, "Rss"), (long)origin.rss_kb);
	EXPECT_EQ((long)(self->len / 2048), (long)origin.rss_kb);
	EXPECT_STREQ("a\\040b\\134c", origin.comm);
}

/* The control: mappings made without origin=1, or of other memory, have no mark. */
TEST_F(origin, others_are_not)
{
	char *unmarked, *anonymous, *zero;
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);

	ASSERT_EQ(0, module_switch("origin", false));
	unmarked = mmap(free_range(self->len), self->len, RW,
			MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	anonymous = backing_map(-1, free_range(self->len), self->len, RW,
				MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	zero = mmap(free_range(self->len), self->len, RW,
		    MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	EXPECT_FALSE(is_marked(unmarked));
	EXPECT_FALSE(is_marked(anonymous));
	EXPECT_FALSE(is_marked(zero));
	EXPECT_TRUE(is_marked(self->map));
}

TEST_F(origin, follows_split)
{
	ASSERT_EQ(0, munmap(self->map + 3 * self->page, self->page));
	EXPECT_TRUE(is_marked(self->map));
	EXPECT_FALSE(is_marked(self->map + 3 * self->page));
	EXPECT_TRUE(is_marked(self->map + 4 * self->page));
}

TEST_F(origin, follows_mprotect)
{
	ASSERT_EQ(0, mprotect(self->map, self->page, PROT_READ));
	EXPECT_TRUE(is_marked(self->map));
	EXPECT_TRUE(is_marked(self->map + self->page));
	ASSERT_EQ(0, mprotect(self->map, self->page, RW));
	EXPECT_EQ(1, proc_count_vmas(self->map, self->len));
	EXPECT_TRUE(is_marked(self->map));
}

TEST_F(origin, follows_mremap)
{
	char *to = mremap(self->map, self->len, 2 * self->len,
			  MREMAP_MAYMOVE | MREMAP_FIXED, free_range(2 * self->len));

	ASSERT_NE(MAP_FAILED, to);
	EXPECT_TRUE(is_marked(to));
	EXPECT_TRUE(is_marked(to + 2 * self->len - 1));
	EXPECT_FALSE(is_marked(self->map));
}

static int child_is_marked(const char *map)
{
	pid_t pid = fork();

	if (!pid)
		_exit(is_marked(map));
	return exit_status(pid);
}

TEST_F(origin, follows_fork_but_not_dontfork)
{
	EXPECT_EQ(1, child_is_marked(self->map));
	ASSERT_EQ(0, madvise(self->map, self->len, MADV_DONTFORK));
	EXPECT_EQ(0, child_is_marked(self->map));
	EXPECT_TRUE(is_marked(self->map));
}

/* A VMA is marked if it, or one that it has merged with, was marked. */
TEST_F(origin, merging_keeps_a_mark)
{
	char *above = self->map + self->len;

	/* A named mapping merges only with one of its name, so clear it. */
	vma_set_name(self->map, self->len, NULL);
	ASSERT_EQ(above, backing_map(-1, above, self->len, RW,
				     MAP_PRIVATE | MAP_FIXED, 0));
	ASSERT_EQ(1, proc_count_vmas(self->map, 2 * self->len));
	EXPECT_TRUE(is_marked(self->map));
	EXPECT_TRUE(is_marked(above));
}

/* Reads the number in the first line of the list. */
static long merged_at_entry(void)
{
	FILE *list = fopen(ORIGIN_LIST, "re");
	char line[256] = "", *colon;
	long n = -1;

	if (list && fgets(line, sizeof(line), list)) {
		colon = strrchr(line, ':');
		if (colon)
			sscanf(colon + 1, "%ld", &n);
	}
	if (list)
		fclose(list);
	return n;
}

TEST_F(origin, merged_at_entry_is_counted)
{
	bool was = module_is_on("merge");
	long before = merged_at_entry();
	char *map = free_range(self->len);
	int i;

	if (module_switch("merge", true))
		SKIP(return, "cannot switch merge");
	for (i = 0; i < PAGES; i++)
		mmap(map + i * self->page, self->page, RW,
		     MAP_PRIVATE | MAP_FIXED, self->fd, 0);
	module_switch("merge", was);
	EXPECT_EQ(1, proc_count_vmas(map, self->len));
	EXPECT_FALSE(is_marked(map));
	EXPECT_EQ(before + PAGES, merged_at_entry());
}

TEST_F(origin, ends_with_exec)
{
	int fds[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(77);
	}
	close(fds[1]);
	/* The pipe closes on exec. */
	ASSERT_EQ(0, read(fds[0], &byte, 1));
	EXPECT_FALSE(origin_find(pid, self->map, &(struct origin) { }));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F(origin, survives_collapse)
{
	char *map = mmap(free_range(HUGE), HUGE, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	struct origin origin;

	ASSERT_NE(MAP_FAILED, map);
	madvise(map, HUGE, MADV_NOHUGEPAGE);
	memset(map, 1, HUGE);
	madvise(map, HUGE, MADV_HUGEPAGE);
	if (madvise(map, HUGE, 25 /* MADV_COLLAPSE */))
		SKIP(return, "cannot get a huge page: %s", strerror(errno));
	ASSERT_TRUE(origin_find(getpid(), map, &origin));
	EXPECT_EQ((long)HUGE / 1024, (long)origin.rss_kb);
	EXPECT_EQ((long)HUGE / 1024, proc_smaps_kb(map, "AnonHugePages"));
	EXPECT_EQ(1, map[HUGE - 1]);
}

/* The zero page, small or huge, is no RSS. */
TEST_F(origin, zero_pages_are_no_rss)
{
	char *map = mmap(free_range(2 * HUGE), 2 * HUGE, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	struct origin origin;
	size_t i;

	madvise(map, HUGE, MADV_NOHUGEPAGE);
	madvise(map + HUGE, HUGE, MADV_HUGEPAGE);
	for (i = 0; i < 2 * HUGE; i += self->page)
		ASSERT_EQ(0, map[i]);
	ASSERT_TRUE(origin_find(getpid(), map, &origin));
	EXPECT_EQ(0, origin.rss_kb);
	ASSERT_TRUE(origin_find(getpid(), map + HUGE, &origin));
	EXPECT_EQ(0, origin.rss_kb);
}

TEST_F(origin, survives_swap)
{
	char path[64];
	struct origin origin;
	int disk = swap_device_open(path, sizeof(path));

	if (disk < 0)
		SKIP(return, "cannot make swap space: %s", strerror(errno));
	ASSERT_EQ(0, madvise(self->map, self->len, MADV_PAGEOUT));
	ASSERT_TRUE(origin_find(getpid(), self->map, &origin));
	EXPECT_EQ(proc_smaps_kb(self->map, "Rss"), (long)origin.rss_kb);
	EXPECT_EQ((long)self->len / 2048,
		  (long)origin.rss_kb + proc_smaps_kb(self->map, "Swap"));
	EXPECT_LT(0, proc_smaps_kb(self->map, "Swap"));
	EXPECT_EQ(1, self->map[0]);
	EXPECT_EQ(1, self->map[self->len / 2 - 1]);
	EXPECT_TRUE(is_marked(self->map));
	EXPECT_EQ(0, swapoff(path));
	close(disk);
}

TEST_F(origin, survives_compaction)
{
	if (proc_write("/proc/sys/vm/compact_memory", "1"))
		SKIP(return, "this kernel cannot be told to compact");
	EXPECT_EQ(1, self->map[0]);
	EXPECT_TRUE(is_marked(self->map));
}

static void touch_nothing(void *map)
{
}

TEST_F(origin, survives_core_dump)
{
	struct coredump dump;

	ASSERT_EQ(0, coredump_take(&dump, touch_nothing, self->map));
	EXPECT_EQ((ssize_t)self->len, coredump_bytes(&dump, self->map));
	EXPECT_FALSE(coredump_lists_file(&dump, self->map));
	coredump_drop(&dump);
	EXPECT_LE(0, zeropage_count_own(self->map, self->len));
	EXPECT_TRUE(is_marked(self->map));
}

/* Reads the mapping's line in maps and its VmFlags in smaps. */
static bool texts(char *map, char *line, char *flags, size_t size)
{
	struct vma vma;

	if (!proc_vma(map, &vma))
		return false;
	snprintf(line, size, "%s", vma.line);
	return proc_smaps_field(map, "VmFlags", flags, size);
}

TEST_F(origin, seen_by_nobody_else)
{
	char line[2][512], flags[2][512];

	ASSERT_TRUE(texts(self->map, line[0], flags[0], 512));
	ASSERT_EQ(0, module_switch("origin", false));
	ASSERT_EQ(self->map, mmap(self->map, self->len, RW,
				  MAP_PRIVATE | MAP_FIXED, self->fd, 0));
	memset(self->map, 1, self->len / 2);
	EXPECT_FALSE(is_marked(self->map));
	ASSERT_TRUE(texts(self->map, line[1], flags[1], 512));
	EXPECT_STREQ(line[1], line[0]);
	EXPECT_STREQ(flags[1], flags[0]);
}

TEST_HARNESS_MAIN
