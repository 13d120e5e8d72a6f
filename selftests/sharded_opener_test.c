// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "sharded": a worker opens the clones, and whoever opened the node answers
 * for them: fs.file-max, the cgroup that pays, and the label of a security module
 * are as for an open(2) of his own. Changes fs.file-max for as long as it runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "cpu.h"
#include "module.h"
#include "proc.h"
#include "shard.h"

#define RW		(PROT_READ | PROT_WRITE)
#define NOBODY		65534
#define FILE_MAX	"/proc/sys/fs/file-max"
#define CGROUP		"/sys/fs/cgroup"
#define SECURITY	"/sys/kernel/security"
#define NR_FILES	1200

/* No clone is smaller than this: a file, an address_space and what links them. */
#define CLONE_BYTES	512

/* A profile in which no file may be mapped executable, and all else is allowed. */
#define PROFILE								\
	"profile anonzero-no-exec { capability, / r, /** rw, signal, ptrace, }\n"

FIXTURE(opener) {
	char file_max[32];
	long before;
	long step;
};

FIXTURE_SETUP(opener)
{
	struct rlimit files = { 2 * NR_FILES, 2 * NR_FILES };

	if (pin_to_cpu(0) || access(backing_sharded.path, R_OK))
		SKIP(return, "%s: is the module loaded with variants=1?",
		     backing_sharded.path);
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	if (setrlimit(RLIMIT_NOFILE, &files))
		SKIP(return, "needs root");
	self->step = shard_step();
	ASSERT_LT(0, self->step);
	self->before = module_use_count();
	snprintf(self->file_max, sizeof(self->file_max), "%ld",
		 proc_number(FILE_MAX));
}

FIXTURE_TEARDOWN(opener)
{
	proc_write(FILE_MAX, self->file_max);
	EXPECT_TRUE(shard_files_become(self->before));
}

static int open_sharded(void)
{
	return open(backing_sharded.path, O_RDWR | O_CLOEXEC);
}

static void map_once(int fd)
{
	void *map = mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0);

	if (map != MAP_FAILED)
		munmap(map, 4096);
}

/* A file is of who opens it, whatever becomes of him. */
static int open_as_nobody(void)
{
	int fd;

	if (seteuid(NOBODY))
		return -1;
	fd = open_sharded();
	return seteuid(0) ? -1 : fd;
}

/* Where the kernel has no file left for a user, it has some for root. */
TEST_F(opener, no_file_left)
{
	int by_nobody, by_root, i;

	by_nobody = open_as_nobody();
	ASSERT_LE(0, by_nobody);
	by_root = open_sharded();
	/* More files than file-max is about to say, which leaves some to clones. */
	for (i = 0; i < 100; i++)
		ASSERT_LE(0, open("/dev/null", O_RDONLY | O_CLOEXEC));
	ASSERT_EQ(0, proc_write(FILE_MAX, "64"));

	map_once(by_nobody);
	EXPECT_TRUE(shard_settle(by_root));
	usleep(200000);
	EXPECT_EQ(self->before + 3 * self->step, module_use_count());

	ASSERT_EQ(0, proc_write(FILE_MAX, self->file_max));
	EXPECT_TRUE(shard_settle(by_nobody));
	close(by_nobody);
	close(by_root);
}

/* Clones leave most of fs.file-max to files that have a descriptor. */
TEST_F(opener, few_of_all_files)
{
	const int file_max = 800, most = file_max / 8;
	int fds[2 * 100], i;
	char text[16];

	snprintf(text, sizeof(text), "%d", file_max);
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = open_sharded();
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, proc_write(FILE_MAX, text));
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		map_once(fds[i]);
	EXPECT_TRUE(shard_files_become(self->before +
				       self->step * (ARRAY_SIZE(fds) + most)));
	usleep(200000);
	EXPECT_EQ(self->before + self->step * (ARRAY_SIZE(fds) + most),
		  module_use_count());
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

/* What memory.stat has of kernel objects; -1 where it is not to be had. */
static long cgroup_slab(const char *group)
{
	char path[128], line[128];
	long bytes = -1;
	FILE *stat;

	snprintf(path, sizeof(path), "%s/memory.stat", group);
	stat = fopen(path, "re");
	while (stat && fgets(line, sizeof(line), stat) &&
	       sscanf(line, "slab %ld", &bytes) != 1)
		;
	if (stat)
		fclose(stat);
	return bytes;
}

/*
 * In a cgroup of its own, a child opens a node many times, and maps each of these
 * files. Returns what that takes of kernel memory, with @nr_clones clones; -1 where
 * cgroups do not say.
 */
static long charged_for(const char *path, int nr_clones)
{
	long count = module_use_count() + shard_step() * (NR_FILES + nr_clones);
	long *bytes = mmap(NULL, 4096, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char group[64], procs[96];
	pid_t pid;
	int i;

	*bytes = -1;
	snprintf(group, sizeof(group), CGROUP "/anonzero.%d", getpid());
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
	if (mkdir(group, 0755))
		return -1;
	pid = fork();
	if (!pid) {
		if (proc_write(procs, "0"))
			_exit(1);
		for (i = 0; i < NR_FILES; i++)
			map_once(open(path, O_RDWR | O_CLOEXEC));
		if (!shard_files_become(count))
			_exit(2);
		/* Where little has changed, the kernel sums every two seconds. */
		sleep(3);
		*bytes = cgroup_slab(group);
		_exit(0);
	}
	exit_status(pid);
	rmdir(group);
	return *bytes;
}

/* The hybrid has no clones, and its files are charged, too. */
TEST_F(opener, cgroup_pays)
{
	long hybrid, sharded;

	proc_write(CGROUP "/cgroup.subtree_control", "+memory");
	hybrid = charged_for(backing_hybrid.path, 0);
	if (hybrid < 0)
		SKIP(return, "no cgroup v2 with a memory controller here");
	ASSERT_TRUE(shard_files_become(self->before));
	sharded = charged_for(backing_sharded.path, NR_FILES);
	TH_LOG("%d files: hybrid %ld bytes, sharded with %d clones %ld bytes",
	       NR_FILES, hybrid, NR_FILES, sharded);
	EXPECT_LT(NR_FILES * 100, hybrid);
	EXPECT_LT(hybrid + NR_FILES * CLONE_BYTES, sharded);
}

/* Loads PROFILE into the kernel, or says in words why not. */
static const char *load_profile(void)
{
	const char *name = "/tmp/anonzero-no-exec";
	const char *command = "apparmor_parser -r -K -T /tmp/anonzero-no-exec";
	int ret;

	mount("securityfs", SECURITY, "securityfs", 0, NULL);
	if (access(SECURITY "/apparmor/.load", W_OK))
		return "needs root, and AppArmor";
	if (system("apparmor_parser --version >/dev/null 2>&1"))
		return "needs apparmor_parser";
	close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	if (proc_write(name, PROFILE))
		return "cannot write the profile";
	ret = system(command);
	unlink(name);
	return ret ? "apparmor_parser does not take the profile" : NULL;
}

/* Maps, writes, and asks for PROT_EXEC. Returns the errno, or 0. */
static int exec_errno(int fd)
{
	char *map = mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0);
	int ret;

	if (map == MAP_FAILED)
		return -1;
	*map = 1;
	ret = mprotect(map, 4096, PROT_READ | PROT_EXEC) ? errno : 0;
	munmap(map, 4096);
	return ret;
}

/*
 * Under the profile, or not: opens a node and asks of a mapping of the file, and
 * of one of its clone, if it gets one. Exits with the number of refusals.
 */
static void ask_twice(const struct backing *backing, bool confined)
{
	int refused, fd;
	long files;

	if (confined && proc_write("/proc/self/attr/current",
				   "changeprofile anonzero-no-exec"))
		_exit(255);
	fd = open(backing->path, O_RDWR | O_CLOEXEC);
	files = module_use_count();
	refused = exec_errno(fd) == EACCES;
	if (backing == &backing_sharded &&
	    !shard_files_become(files + shard_step()))
		_exit(254);
	refused += exec_errno(fd) == EACCES;
	_exit(refused);
}

static int refusals(const struct backing *backing, bool confined)
{
	pid_t pid = fork();

	if (!pid)
		ask_twice(backing, confined);
	return exit_status(pid);
}

/* What a profile says of the node holds for a clone of it as well. */
TEST_F(opener, label_is_of_opener)
{
	const char *reason = load_profile();

	if (reason)
		SKIP(return, "%s", reason);
	EXPECT_EQ(0, refusals(&backing_sharded, false));
	EXPECT_EQ(2, refusals(&backing_hybrid, true));
	EXPECT_EQ(2, refusals(&backing_sharded, true));
}

TEST_HARNESS_MAIN
