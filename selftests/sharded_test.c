// SPDX-License-Identifier: GPL-2.0-only
/*
 * In /proc a mapping of the design "sharded" looks like a hybrid. But each CPU's
 * mappings are of a clone of the opened file, whose rmap tree no other CPU uses.
 * Each open file counts in the module's use count, which so shows the clones.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "cpu.h"
#include "module.h"
#include "proc.h"
#include "rmap.h"
#include "shard.h"
#include "trace.h"

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		4
#define NR_MAPS		8
#define NR_OPENERS	1000
#define NR_RELOADS	20

FIXTURE(sharded) {
	size_t page;
	size_t len;
	char dir[32];
	long before;
	int fd;
};

FIXTURE_SETUP(sharded)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	snprintf(self->dir, sizeof(self->dir), "/tmp/anonzero.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	if (pin_to_cpu(0))
		SKIP(return, "cannot pin to a CPU: %s", strerror(errno));
	self->before = module_use_count();
	self->fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "cannot open %s: %s (is the module loaded with variants=1?)",
		     backing_sharded.path, strerror(errno));
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
}

FIXTURE_TEARDOWN(sharded)
{
	if (self->fd >= 0)
		close(self->fd);
	umount2(self->dir, MNT_DETACH);
	rmdir(self->dir);
	EXPECT_TRUE(shard_files_become(self->before));
}

static char *map(int fd, size_t len)
{
	return mmap(NULL, len, RW, MAP_PRIVATE, fd, 0);
}

/* Reads what /proc says of a written mapping, which is at the same place always. */
static bool proc_text(const struct backing *backing, size_t len, char *text,
		      size_t size)
{
	static char *area;
	int fd = open(backing->path, O_RDWR | O_CLOEXEC);
	bool ret;

	if (!area)
		area = free_range(len);
	if (backing == &backing_sharded && !shard_settle(fd))
		return false;
	if (mmap(area, len, RW, MAP_PRIVATE | MAP_FIXED, fd, 4096) != area)
		return false;
	memset(area, 1, len / 2);
	ret = proc_all_text(area, backing->path, text, size);
	munmap(area, len);
	close(fd);
	return ret;
}

/* But for the node's name, /proc shows the same bytes for both. */
TEST_F(sharded, reads_as_hybrid)
{
	static char hybrid[8192], sharded[8192];

	ASSERT_TRUE(proc_text(&backing_hybrid, self->len, hybrid,
			      sizeof(hybrid)));
	ASSERT_TRUE(proc_text(&backing_sharded, self->len, sharded,
			      sizeof(sharded)));
	EXPECT_NE(NULL, strstr(hybrid, "NODE"));
	EXPECT_NE(NULL, strstr(hybrid, "VmFlags"));
	EXPECT_STREQ(hybrid, sharded);
}

/* The first mapping does not wait for a clone, and is of the user's own file. */
TEST_F(sharded, first_mapping_is_a_hybrid)
{
	long opened = module_use_count();
	char *first = map(self->fd, self->len);

	ASSERT_NE(MAP_FAILED, first);
	*first = 1;
	EXPECT_TRUE(shard_files_become(2 * opened - self->before));
	EXPECT_EQ(1, *first);
	munmap(first, self->len);
}

static int map_apart(struct __test_metadata *_metadata, int fd, int cpu,
		     size_t len, struct rmap_counts *counts)
{
	size_t size = 2 * NR_MAPS * len;
	char *area = free_range(size);
	int i;

	if (pin_to_cpu(cpu))
		return -1;
	ASSERT_EQ(0, trace_start(getpid()));
	for (i = 0; i < NR_MAPS; i++)
		mmap(area + 2 * i * len, len, RW, MAP_PRIVATE | MAP_FIXED, fd, 0);
	ASSERT_EQ(0, rmap_stop(area, size, counts));
	munmap(area, size);
	return 0;
}

/*
 * There are as many tree operations and locks as for the hybrid, but each CPU has a
 * tree of its own.
 */
TEST_F(sharded, a_tree_for_each_cpu)
{
	int hybrid = open(backing_hybrid.path, O_RDWR | O_CLOEXEC);
	const char *reason = rmap_open();
	struct rmap_counts of_hybrid[2], of_sharded[2];
	int cpu;

	if (reason)
		SKIP(return, "%s", reason);
	for (cpu = 0; cpu < 2; cpu++) {
		if (map_apart(_metadata, hybrid, cpu, self->len,
			      &of_hybrid[cpu]))
			SKIP(return, "needs two CPUs");
		ASSERT_TRUE(shard_settle(self->fd));
		map_apart(_metadata, self->fd, cpu, self->len,
			  &of_sharded[cpu]);
		TH_LOG("CPU %d: hybrid %d inserts, %d locks; sharded %d inserts, %d locks",
		       cpu, of_hybrid[cpu].inserts, of_hybrid[cpu].file_locks,
		       of_sharded[cpu].inserts, of_sharded[cpu].file_locks);
		EXPECT_EQ(NR_MAPS, of_hybrid[cpu].inserts);
		EXPECT_EQ(NR_MAPS, of_sharded[cpu].inserts);
		EXPECT_EQ(of_hybrid[cpu].file_locks, of_sharded[cpu].file_locks);
		EXPECT_EQ(0, of_hybrid[cpu].trees[1]);
		EXPECT_EQ(0, of_sharded[cpu].trees[1]);
	}
	EXPECT_EQ(of_hybrid[0].trees[0], of_hybrid[1].trees[0]);
	EXPECT_NE(of_sharded[0].trees[0], of_sharded[1].trees[0]);
	EXPECT_NE(of_sharded[0].trees[0], of_hybrid[0].trees[0]);
	close(hybrid);
	trace_close();
}

/* Without its opener, a clone lives as long as its last mapping. */
TEST_F(sharded, opener_goes_first)
{
	char *mapping;

	ASSERT_TRUE(shard_settle(self->fd));
	mapping = map(self->fd, self->len);
	*mapping = 1;
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(shard_files_become(self->before + shard_step()));
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	ASSERT_EQ(0, munmap(mapping + self->page, self->page));
	EXPECT_EQ(1, *mapping);
	EXPECT_EQ(self->before + shard_step(), module_use_count());
	munmap(mapping, self->len);
	EXPECT_TRUE(shard_files_become(self->before));
}

TEST_F(sharded, mapping_goes_first)
{
	char *mapping;
	long settled;

	ASSERT_TRUE(shard_settle(self->fd));
	settled = module_use_count();
	mapping = map(self->fd, self->len);
	EXPECT_EQ(settled, module_use_count());
	munmap(mapping, self->len);
	EXPECT_EQ(settled, module_use_count());
}

TEST_F(sharded, a_child_goes_last)
{
	char *mapping;
	int fds[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_TRUE(shard_settle(self->fd));
	mapping = map(self->fd, self->len);
	*mapping = 1;
	pid = fork();
	if (!pid) {
		close(self->fd);
		close(fds[1]);
		pin_to_cpu(1);
		if (read(fds[0], &byte, 1))
			_exit(1);
		munmap(mapping + self->page, self->page);
		_exit(*mapping != 1);
	}
	munmap(mapping, self->len);
	close(self->fd);
	self->fd = -1;
	usleep(100000);
	EXPECT_EQ(self->before + shard_step(), module_use_count());
	close(fds[1]);
	EXPECT_EQ(0, exit_status(pid));
	EXPECT_TRUE(shard_files_become(self->before));
}

TEST_F(sharded, exec_drops_mappings)
{
	pid_t pid;

	ASSERT_TRUE(shard_settle(self->fd));
	pid = fork();
	if (!pid) {
		map(self->fd, self->len);
		execl("/proc/self/exe", "sharded_test", "-h", NULL);
		_exit(77);
	}
	close(self->fd);
	self->fd = -1;
	EXPECT_NE(77, exit_status(pid));
	EXPECT_TRUE(shard_files_become(self->before));
}

/* A file that is never mapped has no clone. */
TEST_F(sharded, a_thousand_openers)
{
	int fds[NR_OPENERS], i;

	for (i = 0; i < NR_OPENERS; i++) {
		fds[i] = open(backing_sharded.path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fds[i]);
	}
	usleep(100000);
	EXPECT_EQ(self->before + (NR_OPENERS + 1) * shard_step(), module_use_count());
	for (i = 0; i < NR_OPENERS; i++)
		close(fds[i]);
}

/* The clone of a CPU that goes offline stays, with its mappings. */
TEST_F(sharded, cpu_goes_offline)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";
	char *maps[3];
	size_t i;

	if (access(online, W_OK))
		SKIP(return, "needs root, and a second CPU that can go");
	ASSERT_EQ(0, pin_to_cpu(1));
	ASSERT_TRUE(shard_settle(self->fd));
	maps[0] = map(self->fd, self->len);
	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, proc_write(online, "0"));
	maps[1] = map(self->fd, self->len);
	EXPECT_EQ(0, mprotect(maps[0], self->page, PROT_READ));
	ASSERT_EQ(0, proc_write(online, "1"));
	ASSERT_EQ(0, pin_to_cpu(1));
	maps[2] = map(self->fd, self->len);
	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		ASSERT_NE(MAP_FAILED, maps[i]);
		EXPECT_EQ(0, maps[i][self->len - 1]++);
		munmap(maps[i], self->len);
	}
}

/* A clone does not change the flags and locks of the user's descriptor. */
TEST_F(sharded, descriptor_is_not_disturbed)
{
	int flags = fcntl(self->fd, F_GETFL), other;

	ASSERT_EQ(0, flock(self->fd, LOCK_EX));
	ASSERT_TRUE(shard_settle(self->fd));
	EXPECT_EQ(flags, fcntl(self->fd, F_GETFL));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	other = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
	EXPECT_EQ(-1, flock(other, LOCK_EX | LOCK_NB));
	EXPECT_EQ(EWOULDBLOCK, errno);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, flock(other, LOCK_EX | LOCK_NB));
	close(other);
}

/* The file is closed, and the module unloaded, before the clone is opened. */
TEST_F_TIMEOUT(sharded, unload_under_work, 120)
{
	int i, fd;

	if (!module_path())
		SKIP(return, "there is no anonzero.ko: make install, or set ANONZERO_KO");
	close(self->fd);
	self->fd = -1;
	for (i = 0; i < NR_RELOADS; i++) {
		fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fd);
		munmap(map(fd, self->len), self->len);
		usleep(i % 5 * 200);
		close(fd);
		ASSERT_EQ(0, module_unload_patiently());
		ASSERT_EQ(0, module_load(module_parameters()));
	}
}

/*
 * Opens a node, makes it inaccessible, unlinks and unmounts it, and then maps the
 * file. Reads what /proc says.
 */
static bool after_the_node_is_gone(const struct backing *backing,
				   const char *dir, size_t len, char *text,
				   size_t size)
{
	int fd = backing_open_node(backing, dir, 0);
	char path[64], *mapping;
	bool ret;

	snprintf(path, sizeof(path), "%s/node", dir);
	chmod(path, 0);
	unlink(path);
	umount2(dir, MNT_DETACH);
	if (backing == &backing_sharded && !shard_settle(fd))
		return false;
	mapping = map(fd, len);
	if (mapping == MAP_FAILED)
		return false;
	memset(mapping, 1, len);
	ret = proc_all_text(mapping, "/node", text, size);
	munmap(mapping, len);
	close(fd);
	return ret;
}

TEST_F(sharded, node_goes_between_open_and_map)
{
	static char hybrid[8192], sharded[8192];

	ASSERT_TRUE(after_the_node_is_gone(&backing_hybrid, self->dir, self->len,
					   hybrid, sizeof(hybrid)));
	ASSERT_TRUE(after_the_node_is_gone(&backing_sharded, self->dir,
					   self->len, sharded, sizeof(sharded)));
	EXPECT_NE(NULL, strstr(hybrid, "NODE (deleted)"));
	EXPECT_STREQ(hybrid, sharded);
}

TEST_HARNESS_MAIN
