// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation in turn fails while a device is opened, mapped, split or forked,
 * and while the module is loaded and unloaded. A call that fails returns an errno
 * that /dev/zero has, too; nothing is leaked; and the process can map again. Needs a
 * kernel with fault injection.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "fail_nth.h"
#include "fail_sweep.h"
#include "kmemleak.h"
#include "module.h"
#include "proc.h"

#define SWEEPS		8

/* From here on kmemleak collects what leaks.at_the_end reports. */
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
	const char *reason = kmemleak_clear();

	if (reason)
		SKIP(return, "%s", reason);
}

FIXTURE(faults) {
	struct switches was;
	const char *reference;
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

/*
 * The right errnos are those of the kernel's own device. Where that may be adopted,
 * the design hybrid stands in for it.
 */
static const char *reference(void)
{
	return core_makes_zero_anonymous() ? "/dev/zero" : "/dev/anonzero-hybrid";
}

FIXTURE_SETUP(faults)
{
	const char *reason = fail_nth_open();

	if (reason)
		SKIP(return, "%s", reason);
	self->reference = reference();
	if (access(self->reference, F_OK))
		SKIP(return, "needs the module with variants=1");
	if (!strcmp(variant->path, self->reference))
		SKIP(return, "there is nothing to adopt");
	if (!variant->switches.merge && module_way() != WAY_HOOK)
		SKIP(return, ALWAYS_MERGED);
	self->was = switches_read();
	ASSERT_EQ(0, switches_set(variant->switches));
	self->files = proc_number("/proc/sys/fs/file-nr");
	self->users = module_use_count();
}

/* No file and no reference to the module is left. */
FIXTURE_TEARDOWN(faults)
{
	EXPECT_EQ(self->users, module_use_count());
	/* Each CPU counts for itself, so the sum may be off by some dozens. */
	EXPECT_GT(self->files + MANY / 2, proc_number("/proc/sys/fs/file-nr"));
	switches_set(self->was);
}

/* No errno is returned that the reference does not return, too. */
static void check_operation(struct __test_metadata *_metadata, const char *path,
			    const char *reference,
			    const struct operation *operation, bool probed)
{
	bool want[NR_ERRNOS] = { [ENOSPC] = operation->takes_inode };
	bool got[NR_ERRNOS] = { };
	int rounds = probed ? 1 : operation->rounds, allocations = 1, i;

	ASSERT_LT(0, fail_sweep(operation, reference, want));
	for (i = 0; i < rounds; i++) {
		allocations = fail_sweep(operation, path, got);
		ASSERT_LT(0, allocations);
	}
	ASSERT_GT(ENDLESS - 2, allocations);
	TH_LOG("%d allocations failed in turn", allocations);
	EXPECT_TRUE(got[0]);
	EXPECT_TRUE(got[ENOMEM]);
	for (i = 0; i < NR_ERRNOS; i++) {
		EXPECT_LE(got[i], want[i]) {
			TH_LOG("%s does not fail with: %s", reference, strerror(i));
		}
	}
}

#define FAULTS_IN(name)							\
	TEST_F_TIMEOUT(faults, name, 300)				\
	{								\
		check_operation(_metadata, variant->path,		\
				self->reference,			\
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
	const char *reason = fail_nth_open();

	if (reason)
		SKIP(return, "%s", reason);
	if (!module_path())
		SKIP(return, "there is no anonzero.ko: make install, or set ANONZERO_KO");
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
}

FIXTURE_TEARDOWN(load)
{
	if (!module_loaded())
		EXPECT_EQ(0, module_load(module_parameters()));
}

/* Without memory, shmem returns ENOSPC and a copy from user space EFAULT. */
static bool is_want_of_memory(int error)
{
	return error == ENOMEM || error == ENOSPC || error == EFAULT;
}

/* Counts the functions that ftrace is attached to, by the module's probe. */
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
 * After a failed load no node and no probe is left, and the next load works. After a
 * successful one the probe is at one function, and not at all of them; where core mm
 * does it all, there is none.
 */
TEST_F_TIMEOUT(load, load, 900)
{
	bool failed = true;
	int n, ret;

	for (n = 1; failed && n < ENDLESS; n++) {
		fail_nth_arm(n);
		ret = module_load("variants=1 merge=1 adopt=1");
		failed = fail_nth_disarm();
		if (ret) {
			ASSERT_TRUE(is_want_of_memory(ret)) {
				TH_LOG("%s", strerror(ret));
			}
			ASSERT_FALSE(module_loaded());
			ASSERT_EQ(0, probed_functions());
			ASSERT_EQ(-1, access("/dev/anonzero", F_OK));
		} else {
			ASSERT_EQ(!core_makes_zero_anonymous(), probed_functions());
			ASSERT_EQ(0, module_unload());
		}
	}
	TH_LOG("%d allocations failed in turn", n - 2);
	EXPECT_EQ(0, ret);
	EXPECT_GT(ENDLESS, n);
}

/*
 * Where a parameter cannot be switched on, it is off and nothing is traced. Others
 * allocate meanwhile, so that one sweep may miss an allocation: there are several.
 */
TEST_F_TIMEOUT(load, switch_on, 300)
{
	int n, ret = 0, sweep, failures = 0;
	bool failed;

	ASSERT_EQ(0, module_load("variants=1"));
	if (module_way() != WAY_HOOK)
		SKIP(return, ALWAYS_MERGED);
	for (sweep = 0; sweep < SWEEPS; sweep++) {
		failed = true;
		for (n = 1; failed && n < ENDLESS; n++) {
			fail_nth_arm(n);
			ret = module_switch("merge", true);
			failed = fail_nth_disarm();
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

/* Unloading never fails, and leaves no node. */
TEST_F_TIMEOUT(load, unload, 300)
{
	bool failed = true;
	int n;

	for (n = 1; failed && n < ENDLESS; n++) {
		ASSERT_EQ(0, module_load("variants=1 merge=1"));
		fail_nth_arm(n);
		EXPECT_EQ(0, module_unload());
		failed = fail_nth_disarm();
		ASSERT_FALSE(module_loaded());
		ASSERT_EQ(-1, access("/dev/anonzero", F_OK));
	}
	TH_LOG("%d allocations failed in turn", n - 2);
}

/* This is the last fixture, as the harness runs tests without one first. */
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

	kmemleak_report(report, sizeof(report));
	EXPECT_STREQ("", report);
}

TEST_HARNESS_MAIN
