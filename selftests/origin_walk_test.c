// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the list of marked mappings costs what they have in memory, not what
 * they span: empty parts are skipped, mmap_lock is dropped again and again, and a
 * reader that is killed goes at once. Each call of anonzero_rss() is one hold of
 * the lock, and looks at a limited number of tables: so calls are counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "module.h"
#include "origin.h"
#include "origin_fixture.h"
#include "trace.h"

#define TIB		(1024UL * 1024 * 1024 * 1024)
#define NSEC		1000000000LL
#define FEW_TABLES	8
#define MANY_TABLES	1024
#define NR_TABLES	65536

/* As many calls would pass over some ten thousand tables. */
#define FEW_CALLS	64

static const struct probe walk[] = {
	{ .name = "rss", .symbols = { "anonzero_rss" }, .fetch = "" },
};

/* What one table of the lowest level maps. */
static size_t table_span(size_t page)
{
	return page / sizeof(void *) * page;
}

/* A mapping with so many tables, whose pages are all the zero page. */
static char *map_tables(int fd, size_t page, int nr_tables)
{
	size_t span = table_span(page), len = nr_tables * span;
	char *map = mmap(NULL, len, RW, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	volatile char *at = map;
	int i;

	if (map == MAP_FAILED)
		return NULL;
	/* The reader is a child: it is not to have a mapping to list as well. */
	madvise(map, len, MADV_DONTFORK);
	madvise(map, len, MADV_NOHUGEPAGE);
	for (i = 0; i < nr_tables; i++)
		(void)at[i * span];
	return map;
}

static long long cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

/*
 * Has this process killed in the middle of what takes it longer than that. A timer
 * of its own CPU time would wait for it to leave the kernel.
 */
static int kill_after(long long nsec)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};
	struct itimerspec spec = {
		.it_value = { .tv_sec = nsec / NSEC, .tv_nsec = nsec % NSEC },
	};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return -1;
	return timer_settime(timer, 0, &spec, NULL);
}

/* Reads the whole list in a child, which writes to @out how long that took. */
static void read_list(int in, int out, long long die_after)
{
	char buffer[65536];
	long long start;
	int fd;

	if (read(in, buffer, 1) != 1)
		_exit(1);
	fd = open(ORIGIN_LIST, O_RDONLY | O_CLOEXEC);
	if (die_after && kill_after(die_after))
		_exit(2);
	start = cpu_time();
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	start = cpu_time() - start;
	_exit(write(out, &start, sizeof(start)) != sizeof(start));
}

static int count_calls(void)
{
	FILE *record = trace_stop();
	char line[512];
	int n = 0;

	while (record && fgets(line, sizeof(line), record))
		n += trace_is(line, "rss");
	if (record)
		fclose(record);
	return n;
}

/*
 * Has a child read the list, to die after @die_after nanoseconds of its own if
 * that is not 0. Returns the calls it makes; @took becomes the time of one that
 * came to the end, or 0.
 */
static int calls_of_reader(long long die_after, long long *took)
{
	int in[2], out[2], status;
	pid_t pid;

	*took = 0;
	if (pipe(in) || pipe(out))
		return -1;
	pid = fork();
	if (!pid) {
		close(out[0]);
		read_list(in[0], out[1], die_after);
	}
	close(in[0]);
	close(out[1]);
	if (trace_start(pid) || write(in[1], "g", 1) != 1)
		kill(pid, SIGKILL);
	if (read(out[0], took, sizeof(*took)) != sizeof(*took))
		*took = 0;
	waitpid(pid, &status, 0);
	close(in[1]);
	close(out[0]);
	return count_calls();
}

/* Nothing else is marked, so that all calls are for what the test maps. */
#define START_TRACE() do {						\
	const char *reason = trace_open(walk, ARRAY_SIZE(walk));	\
									\
	if (reason)							\
		SKIP(return, "%s", reason);				\
	munmap(self->map, self->len);					\
} while (0)

/*
 * A page in the middle of the largest mapping there can be:
 *
 *     |............................w............................|
 */
TEST_F(origin, empty_parts_are_skipped)
{
	struct origin origin;
	size_t len = 64 * TIB;
	long long took;
	char *map;

	START_TRACE();
	do {
		map = mmap(NULL, len, RW, MAP_PRIVATE | MAP_NORESERVE, self->fd, 0);
		len /= 2;
	} while (map == MAP_FAILED && len > TIB / 4);
	if (map == MAP_FAILED)
		SKIP(goto out, "this address space is small: %s", strerror(errno));
	madvise(map, 2 * len, MADV_NOHUGEPAGE);
	map[len] = 1;
	ASSERT_TRUE(origin_find(getpid(), map, &origin));
	EXPECT_EQ(self->page / 1024, origin.rss_kb);
	EXPECT_GE(FEW_CALLS, calls_of_reader(0, &took));
	EXPECT_NE(0, took);
out:
	trace_close();
}

/* A short mapping is counted in one hold of the lock, a long one in several. */
TEST_F(origin, lock_is_dropped)
{
	long long took;
	char *map;

	START_TRACE();
	map = map_tables(self->fd, self->page, FEW_TABLES);
	ASSERT_NE(NULL, map);
	EXPECT_EQ(1, calls_of_reader(0, &took));
	munmap(map, FEW_TABLES * table_span(self->page));
	ASSERT_NE(NULL, map_tables(self->fd, self->page, MANY_TABLES));
	EXPECT_LT(1, calls_of_reader(0, &took));
	trace_close();
}

/* A busy machine only has the reader die the earlier. */
TEST_F_TIMEOUT(origin, killed_reader_goes, 120)
{
	long long took, none;
	int all, calls;

	START_TRACE();
	ASSERT_NE(NULL, map_tables(self->fd, self->page, NR_TABLES));
	all = calls_of_reader(0, &took);
	ASSERT_LT(0, took);
	calls = calls_of_reader(took / 16, &none);
	TH_LOG("%d calls in %lld us; killed after a sixteenth of that: %d calls",
	       all, took / 1000, calls);
	EXPECT_EQ(0, none);
	EXPECT_LT(calls, all);
	trace_close();
}

TEST_HARNESS_MAIN
