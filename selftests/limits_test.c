// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where limits forbid a mapping it is refused as MAP_ANONYMOUS is. After that, and
 * after a process was killed, nothing is left behind, and mapping works again.
 * Changes sysctls, and makes a cgroup, for as long as it runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define MIB		(1024UL * 1024)
#define MAX_MAPS	400
#define CGROUP		"/sys/fs/cgroup"

FIXTURE(limits) {
	size_t page;
	int fd;
};

FIXTURE_VARIANT(limits) {
	const struct backing *backing;
};

ALL_BACKINGS(limits);

FIXTURE_SETUP(limits)
{
	self->page = getpagesize();
	OPEN_BACKING(self->fd, O_RDWR);
}

/* After each test the same process can map again. */
FIXTURE_TEARDOWN(limits)
{
	char *map = backing_map(self->fd, NULL, MIB, RW, MAP_PRIVATE, 0);

	EXPECT_NE(MAP_FAILED, map);
	if (map != MAP_FAILED)
		memset(map, 1, MIB);
}

static char *map_rw(int fd, size_t size)
{
	return backing_map(fd, NULL, size, RW, MAP_PRIVATE, 0);
}

TEST_F(limits, rlimit_as)
{
	struct rlimit old, small = { 256 * MIB, RLIM_INFINITY };
	char *map;

	ASSERT_EQ(0, getrlimit(RLIMIT_AS, &old));
	small.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &small));
	EXPECT_EQ(MAP_FAILED, map_rw(self->fd, 512 * MIB));
	EXPECT_EQ(ENOMEM, errno);
	map = map_rw(self->fd, MIB);
	EXPECT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &old));
	map = map_rw(self->fd, 512 * MIB);
	EXPECT_NE(MAP_FAILED, map);
	munmap(map, 512 * MIB);
}

/* Maps pages that lie apart until the kernel refuses, and returns how many. */
static int map_until_refused(int fd, char *area, size_t page, int max)
{
	int n;

	for (n = 0; n < max; n++) {
		if (backing_map(fd, area + 2 * n * page, page, RW,
				MAP_PRIVATE | MAP_FIXED, 0) == MAP_FAILED)
			break;
	}
	return n;
}

TEST_F(limits, max_map_count)
{
	const char *sysctl = "/proc/sys/vm/max_map_count";
	size_t size = 2 * MAX_MAPS * self->page;
	char *area = free_range(size), old[32], few[32];
	int got, want, error;

	if (geteuid())
		SKIP(return, "needs root to set %s", sysctl);
	snprintf(old, sizeof(old), "%ld", proc_number(sysctl));
	snprintf(few, sizeof(few), "%d", MAX_MAPS / 2);
	ASSERT_EQ(0, proc_write(sysctl, few));
	got = map_until_refused(self->fd, area, self->page, MAX_MAPS);
	error = errno;
	munmap(area, size);
	want = map_until_refused(-1, area, self->page, MAX_MAPS);
	munmap(area, size);
	ASSERT_EQ(0, proc_write(sysctl, old));
	EXPECT_EQ(want, got);
	EXPECT_GT(MAX_MAPS, got);
	EXPECT_EQ(ENOMEM, error);
	EXPECT_EQ(MAX_MAPS, map_until_refused(self->fd, area, self->page,
					      MAX_MAPS));
	munmap(area, size);
}

/* Under strict overcommit the backing and MAP_ANONYMOUS are refused alike. */
TEST_F(limits, strict_overcommit)
{
	static const int prots[] = { PROT_READ, RW, PROT_NONE, PROT_WRITE };
	static const int flags[] = { MAP_PRIVATE, MAP_PRIVATE | MAP_NORESERVE };
	const char *sysctl = "/proc/sys/vm/overcommit_memory";
	int refused = 0, wrong = 0;
	size_t size = 64UL << 30, i, j;
	char *got, *want, old[32];

	if (geteuid())
		SKIP(return, "needs root to set %s", sysctl);
	snprintf(old, sizeof(old), "%ld", proc_number(sysctl));
	ASSERT_EQ(0, proc_write(sysctl, "2"));
	for (i = 0; i < ARRAY_SIZE(prots); i++) {
		for (j = 0; j < ARRAY_SIZE(flags); j++) {
			want = backing_map(-1, NULL, size, prots[i], flags[j], 0);
			if (want != MAP_FAILED)
				munmap(want, size);
			got = backing_map(self->fd, NULL, size, prots[i],
					  flags[j], 0);
			if (got != MAP_FAILED)
				munmap(got, size);
			else
				refused += errno == ENOMEM;
			wrong += (want == MAP_FAILED) != (got == MAP_FAILED);
		}
	}
	ASSERT_EQ(0, proc_write(sysctl, old));
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, refused);
}

static int exit_signal(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Maps and writes 64 MiB, in a cgroup that has 16 MiB and no swap. */
static void exceed_cgroup(const struct backing *backing, const char *procs)
{
	int fd = backing_open(backing, O_RDWR);
	size_t i, size = 64 * MIB;
	char *map;

	if (proc_write(procs, "0"))
		_exit(1);
	map = map_rw(fd, size);
	for (i = 0; map != MAP_FAILED && i < size; i += 4096)
		map[i] = 1;
	_exit(2);
}

TEST_F(limits, cgroup_oom_kill)
{
	char group[64], path[96];
	pid_t pid;

	proc_write(CGROUP "/cgroup.subtree_control", "+memory");
	snprintf(group, sizeof(group), CGROUP "/anonzero.%d", getpid());
	if (mkdir(group, 0700))
		SKIP(return, "needs root, and cgroup v2 at " CGROUP);
	snprintf(path, sizeof(path), "%s/memory.max", group);
	if (proc_write(path, "16M")) {
		rmdir(group);
		SKIP(return, "cgroup v2 has no memory controller here");
	}
	snprintf(path, sizeof(path), "%s/memory.swap.max", group);
	proc_write(path, "0");
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	pid = fork();
	if (!pid)
		exceed_cgroup(variant->backing, path);
	EXPECT_EQ(SIGKILL, exit_signal(pid));
	EXPECT_EQ(0, rmdir(group));
}

/* Maps, splits, merges, forks and unmaps until it is killed. */
static void storm(int fd, size_t page)
{
	char *map;

	for (;;) {
		map = map_rw(fd, 8 * page);
		if (map == MAP_FAILED)
			_exit(1);
		memset(map, 1, 8 * page);
		mprotect(map + page, page, PROT_READ);
		mprotect(map + page, page, RW);
		if (!fork())
			_exit(0);
		munmap(map + 4 * page, page);
		mremap(map, 4 * page, 16 * page, MREMAP_MAYMOVE);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* The kill comes after different times; there are fewer where that takes long. */
TEST_F_TIMEOUT(limits, killed_in_a_storm, 120)
{
	time_t end = time(NULL) + 3;
	pid_t pids[4];
	int i, j;

	for (i = 0; i < 25 && (i < 8 || time(NULL) < end); i++) {
		for (j = 0; j < 4; j++) {
			pids[j] = fork();
			ASSERT_GE(pids[j], 0);
			if (!pids[j])
				storm(self->fd, self->page);
		}
		usleep(1000 + 1777 * (i * 7 % 25));
		for (j = 0; j < 4; j++) {
			kill(pids[j], SIGKILL);
			EXPECT_EQ(SIGKILL, exit_signal(pids[j]));
		}
	}
}

/*
 * A shared mapping that is refused frees its file. Each CPU counts files for itself,
 * so the sum may be off by some dozens.
 */
TEST_F(limits, refused_shared_keeps_no_file)
{
	struct rlimit old, small = { 256 * MIB, RLIM_INFINITY };
	long files;
	int i;

	if (!variant->backing->device)
		return;
	files = proc_number("/proc/sys/fs/file-nr");
	ASSERT_EQ(0, getrlimit(RLIMIT_AS, &old));
	small.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &small));
	for (i = 0; i < MAX_MAPS; i++)
		EXPECT_EQ(MAP_FAILED, mmap(NULL, 512 * MIB, RW, MAP_SHARED,
					   self->fd, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &old));
	EXPECT_GT(files + MAX_MAPS / 2, proc_number("/proc/sys/fs/file-nr"));
}

TEST_HARNESS_MAIN
