// SPDX-License-Identifier: GPL-2.0-only
/*
 * zerocmp --pid prints smaps with a field Null, which says how much of a mapping is
 * the zero page. Both methods of counting give the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "proc.h"
#include "run_zerocmp.h"
#include "swap_device.h"

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		16
#define WRITTEN		4
#define MANY		1500
#define HUGE		(2UL << 20)

/* Expects this Null of a mapping of this process, by each method. */
static void expect_null(struct __test_metadata *_metadata, const void *addr,
			long kb)
{
	struct zerocmp_output output;
	size_t i;

	for (i = 0; i < null_by_count(); i++) {
		zerocmp_run(&output, getpid(), null_by_methods[i]);
		EXPECT_EQ(0, output.status) {
			TH_LOG("%s", output.err);
		}
		EXPECT_EQ(kb, smaps_null_kb(output.out, (unsigned long)addr)) {
			TH_LOG("counted by %s", null_by_methods[i]);
		}
	}
}

static void read_pages(const volatile char *map, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		(void)map[i * getpagesize()];
}

/* Maps pages with nothing beside them; MAP_ANONYMOUS where fd is -1. */
static char *map_pages(int fd, size_t pages)
{
	size_t len = pages * getpagesize();

	return backing_map(fd, free_range(len), len, RW,
			   MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
}

FIXTURE(null) {
	size_t page;
	int fd;
};

FIXTURE_VARIANT(null) {
	const struct backing *backing;
};

ALL_BACKINGS(null);

FIXTURE_SETUP(null)
{
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	self->page = getpagesize();
	OPEN_BACKING(self->fd, O_RDWR);
}

FIXTURE_TEARDOWN(null)
{
}

TEST_F_TIMEOUT(null, small_pages, 120)
{
	long kb = self->page / 1024;
	char *map = map_pages(self->fd, PAGES);

	ASSERT_NE(MAP_FAILED, map);
	expect_null(_metadata, map, 0);
	read_pages(map, PAGES);
	expect_null(_metadata, map, PAGES * kb);
	memset(map, 0, WRITTEN * self->page);
	expect_null(_metadata, map, (PAGES - WRITTEN) * kb);
	memset(map, 1, PAGES * self->page);
	expect_null(_metadata, map, 0);
}

TEST_F_TIMEOUT(null, huge_page, 120)
{
	char *map = backing_map(self->fd, free_range(HUGE), HUGE, RW,
				MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	unsigned char last = 0;

	ASSERT_NE(MAP_FAILED, map);
	madvise(map, HUGE, MADV_HUGEPAGE);
	read_pages(map, 1);
	if (variant->backing->has_handler) {
		expect_null(_metadata, map, self->page / 1024);
		return;
	}
	/* A page that was not touched is there only as a part of a huge page. */
	ASSERT_EQ(0, mincore(map + HUGE - self->page, self->page, &last));
	if (!(last & 1))
		SKIP(return, "the kernel has put no huge zero page here");
	expect_null(_metadata, map, HUGE / 1024);
	/* The kernel replaces the huge zero page, or splits it. */
	*map = 1;
	expect_null(_metadata, map, HUGE / 1024 - proc_smaps_kb(map, "Rss"));
	memset(map, 1, HUGE);
	expect_null(_metadata, map, 0);
}

/* There are more runs of zero pages than one call of either method returns. */
TEST_F_TIMEOUT(null, many_runs, 120)
{
	char *map = map_pages(self->fd, MANY);
	size_t i;

	ASSERT_NE(MAP_FAILED, map);
	madvise(map, MANY * self->page, MADV_NOHUGEPAGE);
	read_pages(map, MANY);
	for (i = 0; i < MANY; i += 2)
		map[i * self->page] = 1;
	expect_null(_metadata, map, MANY / 2 * self->page / 1024);
}

/* Memory that holds zeroes, but is not the zero page, does not count. */
TEST(zeroes_in_memory)
{
	size_t len = PAGES * getpagesize();
	int holes = memfd_create("holes", MFD_CLOEXEC);
	char *maps[3], *control = map_pages(-1, PAGES);
	size_t i;

	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	ASSERT_EQ(0, ftruncate(holes, len));
	maps[0] = mmap(NULL, len, PROT_READ, MAP_PRIVATE, holes, 0);
	maps[1] = mmap(NULL, len, RW, MAP_SHARED, holes, 0);
	maps[2] = map_pages(-1, PAGES);
	memset(maps[2], 0, len);
	read_pages(control, PAGES);
	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		read_pages(maps[i], PAGES);
		EXPECT_EQ((long)len / 1024, proc_smaps_kb(maps[i], "Rss"));
		expect_null(_metadata, maps[i], 0);
	}
	EXPECT_EQ(0, proc_smaps_kb(control, "Rss"));
	expect_null(_metadata, control, len / 1024);
}

TEST(swapped)
{
	size_t half = PAGES / 2 * getpagesize();
	char path[64], *map = map_pages(-1, PAGES);
	int disk = swap_device_open(path, sizeof(path));

	if (disk < 0)
		SKIP(return, "cannot make swap space: %s", strerror(errno));
	read_pages(map, PAGES / 2);
	memset(map + half, 0, half / 2);
	memset(map + half + half / 2, 1, half / 2);
	ASSERT_EQ(0, madvise(map, 2 * half, MADV_PAGEOUT));
	EXPECT_LT(0, proc_smaps_kb(map, "Swap"));
	expect_null(_metadata, map, half / 1024);
	EXPECT_EQ(0, swapoff(path));
	close(disk);
}

/* Starts a process that reads the mapping, writes its start, and stops. */
static pid_t start_target(char *map)
{
	pid_t pid = fork();

	if (!pid) {
		read_pages(map, PAGES);
		memset(map, 1, WRITTEN * getpagesize());
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

FIXTURE(target) {
	char *map;
	pid_t pid;
};

FIXTURE_SETUP(target)
{
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	self->map = map_pages(-1, PAGES);
	ASSERT_NE(MAP_FAILED, self->map);
	self->pid = start_target(self->map);
}

FIXTURE_TEARDOWN(target)
{
	kill(self->pid, SIGKILL);
	waitpid(self->pid, NULL, 0);
}

/* These fields change when another process maps or unmaps the same page. */
static bool depends_on_others(const char *line)
{
	return !strncmp(line, "Pss", 3) || !strncmp(line, "Shared", 6) ||
	       !strncmp(line, "Private", 7) || !strncmp(line, "Referenced", 10);
}

static size_t line_len(const char *line)
{
	return strcspn(line, depends_on_others(line) ? ":" : "\n");
}

/* The output is smaps, with a Null behind each Rss, and the sum at the end. */
TEST_F(target, is_smaps)
{
	const char *line, *plain, *last = NULL;
	struct zerocmp_output output;
	char smaps[1 << 17], path[64];

	zerocmp_run(&output, self->pid, NULL);
	ASSERT_EQ(0, output.status);
	snprintf(path, sizeof(path), "/proc/%d/smaps", self->pid);
	read_and_close(open(path, O_RDONLY | O_CLOEXEC), smaps, sizeof(smaps));
	plain = smaps;
	for (line = output.out; plain; last = line, line = next_line(line)) {
		ASSERT_NE(NULL, line);
		if (last && !strncmp(last, "Rss:", 4)) {
			ASSERT_EQ(0, strncmp(line, "Null: ", 6));
			ASSERT_EQ(line_len(last), line_len(line));
			continue;
		}
		ASSERT_EQ(line_len(plain), line_len(line));
		ASSERT_EQ(0, strncmp(plain, line, line_len(plain)));
		plain = next_line(plain);
	}
	ASSERT_EQ(0, strncmp(line, "Null_Total: ", 12));
	ASSERT_EQ(NULL, next_line(line));
}

TEST_F(target, total)
{
	long kb, sum, total, want = (PAGES - WRITTEN) * getpagesize() / 1024;
	struct zerocmp_output output;
	const char *line;
	size_t i;

	for (i = 0; i < null_by_count(); i++) {
		sum = 0;
		total = -1;
		zerocmp_run(&output, self->pid, null_by_methods[i]);
		EXPECT_EQ(want, smaps_null_kb(output.out, (unsigned long)self->map));
		for (line = output.out; line; line = next_line(line)) {
			if (sscanf(line, "Null: %ld kB\n", &kb) == 1)
				sum += kb;
			else if (sscanf(line, "Null_Total: %ld kB\n", &kb) == 1)
				total = kb;
		}
		EXPECT_EQ(sum, total);
		EXPECT_LE(want, total);
	}
	/* The control: this process has not touched the same pages. */
	expect_null(_metadata, self->map, 0);
}

TEST_F(target, methods_agree)
{
	struct zerocmp_output outputs[2];
	unsigned long start, end;
	const char *line;
	int n = 0;

	if (null_by_count() < 2)
		SKIP(return, "this kernel has no PAGEMAP_SCAN");
	zerocmp_run(&outputs[0], self->pid, null_by_methods[0]);
	zerocmp_run(&outputs[1], self->pid, null_by_methods[1]);
	for (line = outputs[0].out; line; line = next_line(line)) {
		if (!smaps_range(line, &start, &end))
			continue;
		EXPECT_LE(0, smaps_null_kb(outputs[0].out, start));
		EXPECT_EQ(smaps_null_kb(outputs[0].out, start),
			  smaps_null_kb(outputs[1].out, start));
		n++;
	}
	EXPECT_LE(4, n);
	EXPECT_LT(0, smaps_null_kb(outputs[0].out, (unsigned long)self->map));
}

TEST_HARNESS_MAIN
