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
#include <unistd.h>

#include "kselftest_harness.h"

#include "fail_nth.h"
#include "module.h"
#include "proc.h"
#include "fail_sweep.h"

#define SWEEPS		8
#define HYBRID		"/dev/anonzero-hybrid"

/* What is lost from here on, leaks.at_the_end finds. */
FIXTURE(clean) {
};

FIXTURE_SETUP(clean)
{
}

FIXTURE_TEARDOWN(clean)
{
}

TEST_F_TIMEOUT(clean, start, 300)
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
	bool want[NR_ERRNOS] = { [ENOSPC] = operation->takes_inode };
	bool got[NR_ERRNOS] = { };
	int rounds = probed ? 1 : operation->rounds, allocations = 1, i;

	ASSERT_LT(0, scene_sweep(operation, HYBRID, want));
	for (i = 0; i < rounds; i++) {
		allocations = scene_sweep(operation, path, got);
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

#define FAULTS_IN(name)							\
	TEST_F_TIMEOUT(faults, name, 300)				\
	{								\
		check_operation(_metadata, variant->path,		\
				&operation_##name,			\
				variant->switches.merge ||		\
				variant->switches.adopt);		\
	}

FAULTS_IN(open)
FAULTS_IN(map_shared)
FAULTS_IN(map_private)
FAULTS_IN(map_populated)
FAULTS_IN(map_over)
FAULTS_IN(split)
FAULTS_IN(protect)
FAULTS_IN(move)
FAULTS_IN(fork)

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

/* The last fixture: the harness runs what has none before all that have. */
FIXTURE(leaks) {
};

FIXTURE_SETUP(leaks)
{
	if (access(KMEMLEAK, W_OK))
		SKIP(return, "needs root, and a kernel with DEBUG_KMEMLEAK");
}

FIXTURE_TEARDOWN(leaks)
{
}

TEST_F_TIMEOUT(leaks, at_the_end, 300)
{
	char report[4096];

	leak_report(report, sizeof(report));
	EXPECT_STREQ("", report);
}

TEST_HARNESS_MAIN
