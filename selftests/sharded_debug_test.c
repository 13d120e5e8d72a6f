// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the design "sharded" with a debug kernel: no CPU waits for another's lock, and
 * mapping works even where there is no memory to open a clone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "cpu.h"
#include "lock_stat.h"
#include "module.h"
#include "proc.h"
#include "shard.h"

#define RW		(PROT_READ | PROT_WRITE)
#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define TEXT		"/sys/module/anonzero/sections/.text"
#define TWO_CPUS	2
#define SECONDS		10
#define NR_MAPS		20

/*
 * Maps and unmaps on both CPUs at once. Returns how often somebody had to wait for
 * i_mmap_rwsem, of any file; -1 if the kernel does not say.
 */
static long storm(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), cpu;
	pid_t pids[TWO_CPUS];
	struct lock_stat stat;

	for (cpu = 0; cpu < TWO_CPUS; cpu++) {
		pin_to_cpu(cpu);
		mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0);
		usleep(200000);
	}
	lock_stat_start();
	for (cpu = 0; cpu < TWO_CPUS; cpu++) {
		pids[cpu] = fork();
		if (!pids[cpu]) {
			time_t end = time(NULL) + SECONDS;

			pin_to_cpu(cpu);
			while (time(NULL) < end)
				munmap(mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0),
				       4096);
			_exit(0);
		}
	}
	for (cpu = 0; cpu < TWO_CPUS; cpu++)
		exit_status(pids[cpu]);
	close(fd);
	return lock_stat_stop(&stat) ? stat.contentions : -1;
}

FIXTURE(storm) {
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

TEST_F_TIMEOUT(storm, no_contention, 120)
{
	long hybrid = 0, sharded;
	int i;

	if (geteuid() || access("/proc/lock_stat", R_OK))
		SKIP(return, "needs root, and a kernel with LOCK_STAT");
	if (access(backing_sharded.path, F_OK))
		SKIP(return, "needs the module with variants=1");
	/* CPUs that run by turns rarely meet, so it may take several storms. */
	for (i = 0; !hybrid && i < 3; i++)
		hybrid = storm(backing_hybrid.path);
	sharded = storm(backing_sharded.path);
	TH_LOG("contentions: hybrid %ld, sharded %ld", hybrid, sharded);
	EXPECT_LT(0, hybrid);
	EXPECT_EQ(0, sharded);
}

FIXTURE(memory) {
	int fd;
};

/* Has allocations of the module fail, in whatever task. */
static int fail_in_module(const char *times)
{
	char start[32] = "", end[32];
	unsigned long text;
	FILE *file = fopen(TEXT, "re");

	if (!file || fscanf(file, "%lx", &text) != 1)
		return -1;
	fclose(file);
	snprintf(start, sizeof(start), "%#lx", text);
	snprintf(end, sizeof(end), "%#lx", text + 0x10000);
	return proc_write(FAILSLAB "require-start", start) ||
	       proc_write(FAILSLAB "require-end", end) ||
	       proc_write(FAILSLAB "stacktrace-depth", "32") ||
	       proc_write(FAILSLAB "ignore-gfp-wait", "N") ||
	       proc_write(FAILSLAB "verbose", "0") ||
	       proc_write(FAILSLAB "interval", "1") ||
	       proc_write(FAILSLAB "times", times) ||
	       proc_write(FAILSLAB "probability", "100");
}

static void fail_no_more(void)
{
	proc_write(FAILSLAB "probability", "0");
	proc_write(FAILSLAB "require-start", "0");
	proc_write(FAILSLAB "require-end", "0xffffffffffffffff");
}

FIXTURE_SETUP(memory)
{
	if (access(FAILSLAB "require-start", W_OK))
		SKIP(return, "needs root, and a kernel with FAULT_INJECTION_STACKTRACE_FILTER");
	self->fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "needs the module with variants=1");
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(memory)
{
	fail_no_more();
	close(self->fd);
}

/* Maps again and again, and each time without a clone the module asks for one. */
static bool map_often(int fd)
{
	char *map;
	int i;

	for (i = 0; i < NR_MAPS; i++) {
		map = mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED || *map)
			return false;
		*map = 1;
		munmap(map, 4096);
		usleep(20000);
	}
	return true;
}

/* The first allocations fail, more of them each time; then a clone is opened. */
TEST_F_TIMEOUT(memory, clone_comes_later, 120)
{
	static const char *const times[] = { "1", "2", "3", "4", "5" };
	long files;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		files = module_use_count();
		ASSERT_EQ(0, fail_in_module(times[i]));
		EXPECT_TRUE(map_often(self->fd));
		fail_no_more();
		EXPECT_TRUE(shard_files_become(files + shard_step())) {
			TH_LOG("no clone after %s failures", times[i]);
		}
		close(self->fd);
		self->fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, self->fd);
	}
}

/* All allocations fail: each mapping is a hybrid, and in the end none asks. */
TEST_F(memory, no_clone_at_all)
{
	long files = module_use_count();

	ASSERT_EQ(0, fail_in_module("-1"));
	EXPECT_TRUE(map_often(self->fd));
	fail_no_more();
	EXPECT_TRUE(map_often(self->fd));
	EXPECT_EQ(files, module_use_count());
}

TEST_HARNESS_MAIN
