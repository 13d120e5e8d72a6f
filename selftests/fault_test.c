// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation in turn fails inside opening, mapping, splitting, forking,
 * loading and unloading. Whatever fails says so with an errno that /dev/zero
 * gives too, nothing is leaked, and the same process can map again. Needs a
 * kernel with fault injection.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "fault.h"
#include "module.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define RWX		(RW | PROT_EXEC)	/* no neighbour to merge with has it */
#define PAGES		8
#define NR_ERRNOS	256
#define SWEEPS		8
#define ENDLESS		5000	/* more than any call here allocates */
#define MANY		150
#define HYBRID		"/dev/anonzero-hybrid"

/**
 * struct scene - what an operation works on
 * @path: the device
 * @fd: open on it, but for opening
 * @page: bytes
 * @map: a private mapping of PAGES pages, all written
 * @len: bytes of it
 * @got: what came of the operation, for undoing it
 */
struct scene {
	const char *path;
	int fd;
	size_t page;
	char *map;
	size_t len;
	void *got;
};

/**
 * struct operation - what is done while allocations fail
 * @act: does it, and returns 0 or an errno
 * @undo: takes it back where it went well, without faults
 * @rounds: how often to let each allocation fail
 */
struct operation {
	int (*act)(struct scene *scene);
	void (*undo)(struct scene *scene);
	int rounds;
};

static int do_open(struct scene *scene)
{
	long fd = open(scene->path, O_RDWR | O_CLOEXEC);

	scene->got = (void *)fd;
	return fd < 0 ? errno : 0;
}

static void undo_open(struct scene *scene)
{
	close((long)scene->got);
}

static int do_map(struct scene *scene, int prot, int type)
{
	scene->got = mmap(NULL, PAGES * scene->page, prot, type, scene->fd, 0);
	return scene->got == MAP_FAILED ? errno : 0;
}

static int do_map_private(struct scene *scene)
{
	return do_map(scene, RWX, MAP_PRIVATE);
}

static int do_map_populated(struct scene *scene)
{
	return do_map(scene, RWX, MAP_PRIVATE | MAP_POPULATE);
}

static int do_map_shared(struct scene *scene)
{
	return do_map(scene, RW, MAP_SHARED);
}

static void undo_map(struct scene *scene)
{
	munmap(scene->got, PAGES * scene->page);
}

/* Replaces the scene's mapping; the next scene brings a new one. */
static int do_map_over(struct scene *scene)
{
	void *map = mmap(scene->map + scene->page, scene->page, RW,
			 MAP_PRIVATE | MAP_FIXED, scene->fd, 0);

	return map == MAP_FAILED ? errno : 0;
}

static int do_split(struct scene *scene)
{
	return munmap(scene->map + 3 * scene->page, scene->page) ? errno : 0;
}

static int do_protect(struct scene *scene)
{
	if (mprotect(scene->map + scene->page, scene->page, PROT_READ))
		return errno;
	return mprotect(scene->map + scene->page, scene->page, RW) ? errno : 0;
}

static int do_move(struct scene *scene)
{
	void *map = mremap(scene->map, scene->len, 2 * scene->len,
			   MREMAP_MAYMOVE);

	if (map == MAP_FAILED)
		return errno;
	scene->map = map;
	scene->len *= 2;
	return 0;
}

static int do_fork(struct scene *scene)
{
	long pid = fork();

	if (!pid)
		_exit(0);
	scene->got = (void *)pid;
	return pid < 0 ? errno : 0;
}

static void undo_fork(struct scene *scene)
{
	waitpid((long)scene->got, NULL, 0);
}

static void undo_nothing(struct scene *scene)
{
}

/* Sets the scene; false where that cannot be done, which is without faults. */
static bool set_scene(struct scene *scene, const char *path)
{
	size_t page = getpagesize();

	*scene = (struct scene) {
		.path = path, .page = page, .len = PAGES * page,
	};
	scene->fd = open(path, O_RDWR | O_CLOEXEC);
	scene->map = mmap(NULL, scene->len, RW, MAP_PRIVATE, scene->fd, 0);
	if (scene->map == MAP_FAILED)
		return false;
	memset(scene->map, 1, scene->len);
	return true;
}

static void clear_scene(struct scene *scene)
{
	munmap(scene->map, scene->len);
	close(scene->fd);
}

/*
 * Lets the operation's first allocation fail, then its second, until there is
 * none to fail any more. Notes the errnos. Returns how many allocations there
 * are, or -1 where the scene could not be set again after one had failed.
 */
static int sweep(const struct operation *operation, const char *path,
		 bool *errnos)
{
	struct scene scene;
	bool failed = true;
	int n, ret;

	for (n = 1; failed && n < ENDLESS; n++) {
		if (!set_scene(&scene, path))
			return -1;
		fault_arm(n);
		ret = operation->act(&scene);
		failed = fault_disarm();
		if (!ret)
			operation->undo(&scene);
		errnos[ret] = true;
		clear_scene(&scene);
	}
	return n - 2;
}

/* What is lost from here on, leaks_at_the_end finds. */
TEST(clean_start)
{
	const char *reason = leak_start();

	if (reason)
		SKIP(return, "%s", reason);
}

FIXTURE(faults) {
	struct switches was;
	long files;
	long users;
};

FIXTURE_VARIANT(faults) {
	const char *path;
	struct switches switches;
};

FIXTURE_VARIANT_ADD(faults, anonzero) {
	.path = "/dev/anonzero",
};

FIXTURE_VARIANT_ADD(faults, anonzero_merging) {
	.path = "/dev/anonzero", .switches = { .merge = true },
};

FIXTURE_VARIANT_ADD(faults, zero_adopted) {
	.path = "/dev/zero", .switches = { .adopt = true },
};

FIXTURE_VARIANT_ADD(faults, zero_both) {
	.path = "/dev/zero", .switches = { .merge = true, .adopt = true },
};

FIXTURE_SETUP(faults)
{
	const char *reason = fault_open();

	if (reason)
		SKIP(return, "%s", reason);
	if (access(HYBRID, F_OK))
		SKIP(return, "needs the module with variants=1");
	self->was = switches_read();
	ASSERT_EQ(0, switches_set(variant->switches));
	self->files = proc_number("/proc/sys/fs/file-nr");
	self->users = module_use_count();
}

/* Nothing is held. */
FIXTURE_TEARDOWN(faults)
{
	EXPECT_EQ(self->users, module_use_count());
	/* It is counted by the CPU, and up to some dozens behind. */
	EXPECT_GT(self->files + MANY / 2, proc_number("/proc/sys/fs/file-nr"));
	switches_set(self->was);
}

/* The errnos of /dev/zero are those of its twin: it may be adopted itself. */
static void check_operation(struct __test_metadata *_metadata, const char *path,
			    const struct operation *operation, bool probed)
{
	/* shmem takes inode numbers from a CPU's stock: ENOSPC if a new one fails. */
	bool want[NR_ERRNOS] = { [ENOSPC] = operation->act == do_map_shared };
	bool got[NR_ERRNOS] = { };
	int rounds = probed ? 1 : operation->rounds, allocations = 1, i;

	for (i = 0; i < rounds; i++) {
		ASSERT_LT(0, sweep(operation, HYBRID, want));
		allocations = sweep(operation, path, got);
		ASSERT_LT(0, allocations);
	}
	ASSERT_GT(ENDLESS - 2, allocations);
	TH_LOG("%d allocations failed in turn", allocations);
	EXPECT_TRUE(got[0]);
	EXPECT_TRUE(got[ENOMEM]);
	for (i = 0; i < NR_ERRNOS; i++) {
		EXPECT_LE(got[i], want[i]) {
			TH_LOG("%s: not an errno of /dev/zero here", strerror(i));
		}
	}
}

#define FAULTS_IN(name, undo_function, nr_rounds)			\
	TEST_F_TIMEOUT(faults, name, 300)				\
	{								\
		static const struct operation operation = {		\
			.act = do_##name, .undo = undo_function,	\
			.rounds = nr_rounds,				\
		};							\
									\
		check_operation(_metadata, variant->path, &operation,	\
				variant->switches.merge ||		\
				variant->switches.adopt);		\
	}

/* What makes files is done often: the count of files is not exact. */
FAULTS_IN(open, undo_open, MANY)
FAULTS_IN(map_shared, undo_map, MANY)
FAULTS_IN(map_private, undo_map, 1)
FAULTS_IN(map_populated, undo_map, 1)
FAULTS_IN(map_over, undo_nothing, 1)
FAULTS_IN(split, undo_nothing, 1)
FAULTS_IN(protect, undo_nothing, 1)
FAULTS_IN(move, undo_nothing, 1)
FAULTS_IN(fork, undo_fork, 1)

FIXTURE(load) {
};

FIXTURE_SETUP(load)
{
	const char *reason = fault_open();

	if (reason)
		SKIP(return, "%s", reason);
	if (!module_path())
		SKIP(return, "no anonzero.ko: make install, or set ANONZERO_KO");
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
}

FIXTURE_TEARDOWN(load)
{
	if (!module_loaded())
		EXPECT_EQ(0, module_load(module_parameters()));
}

/* shmem says ENOSPC for want of an inode, a copy from user space EFAULT. */
static bool is_want_of_memory(int error)
{
	return error == ENOMEM || error == ENOSPC || error == EFAULT;
}

/* How many functions ftrace is attached to: those of the module's probe. */
static int probed_functions(void)
{
	FILE *file = fopen("/sys/kernel/tracing/enabled_functions", "re");
	char line[512];
	int n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		n += *line != '\t';
	fclose(file);
	return n;
}

/*
 * Half a module is none: no node, no probe, and the next load is as good as any.
 * A whole one is at one function, and not at all of them.
 */
TEST_F_TIMEOUT(load, load, 900)
{
	bool failed = true;
	int n, ret;

	for (n = 1; failed && n < ENDLESS; n++) {
		fault_arm(n);
		ret = module_load("variants=1 merge=1 adopt=1");
		failed = fault_disarm();
		if (ret) {
			ASSERT_TRUE(is_want_of_memory(ret)) {
				TH_LOG("%s", strerror(ret));
			}
			ASSERT_FALSE(module_loaded());
			ASSERT_EQ(0, probed_functions());
			ASSERT_EQ(-1, access("/dev/anonzero", F_OK));
		} else {
			ASSERT_EQ(1, probed_functions());
			ASSERT_EQ(0, module_unload());
		}
	}
	TH_LOG("%d allocations failed in turn", n - 2);
	EXPECT_EQ(0, ret);
	EXPECT_GT(ENDLESS, n);
}

/*
 * A switch that cannot be put on is off, and then nothing is traced. In every
 * sweep others allocate, too, and so it passes over an allocation now and then.
 */
TEST_F_TIMEOUT(load, switch_on, 300)
{
	int n, ret = 0, sweep, failures = 0;
	bool failed;

	ASSERT_EQ(0, module_load("variants=1"));
	for (sweep = 0; sweep < SWEEPS; sweep++) {
		failed = true;
		for (n = 1; failed && n < ENDLESS; n++) {
			fault_arm(n);
			ret = module_switch("merge", true);
			failed = fault_disarm();
			ASSERT_TRUE(!ret || is_want_of_memory(ret)) {
				TH_LOG("%s", strerror(ret));
			}
			ASSERT_EQ(!ret, module_is_on("merge"));
			ASSERT_EQ(!ret, probed_functions());
			ASSERT_EQ(0, module_switch("merge", false));
			failures += failed;
		}
		EXPECT_EQ(0, ret);
	}
	TH_LOG("%d allocations failed in turn", failures);
	EXPECT_EQ(0, module_unload());
}

/* Unloading cannot fail, and takes the probe away. */
TEST_F_TIMEOUT(load, unload, 300)
{
	bool failed = true;
	int n;

	for (n = 1; failed && n < ENDLESS; n++) {
		ASSERT_EQ(0, module_load("variants=1 merge=1"));
		fault_arm(n);
		EXPECT_EQ(0, module_unload());
		failed = fault_disarm();
		ASSERT_FALSE(module_loaded());
		ASSERT_EQ(-1, access("/dev/anonzero", F_OK));
	}
	TH_LOG("%d allocations failed in turn", n - 2);
}

TEST(leaks_at_the_end)
{
	char report[4096];

	if (access(KMEMLEAK, W_OK))
		SKIP(return, "needs root, and a kernel with DEBUG_KMEMLEAK");
	leak_report(report, sizeof(report));
	EXPECT_STREQ("", report);
}

TEST_HARNESS_MAIN
