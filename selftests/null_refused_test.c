// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where zerocmp --pid cannot count, it prints one line that says why, and fails.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "child.h"
#include "run_zerocmp.h"

#define RW		(PROT_READ | PROT_WRITE)
#define CROWD		200	/* mappings, whose smaps does not fit a pipe */
#define BLOCKS		16	/* after so many, the rest does not fit, either */

TEST(bad_arguments)
{
	static const char *const pids[] = { "", "0", "-1", "1x", "4294967297" };
	struct zerocmp_output output;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		zerocmp_run_as(&output, pids[i], NULL, NULL);
		EXPECT_TRUE(zerocmp_refused(&output, 2, "takes a process ID"));
	}
	zerocmp_run(&output, getpid(), "scans");
	EXPECT_TRUE(zerocmp_refused(&output, 2, "takes scan or pagemap"));
}

TEST(no_memory)
{
	struct zerocmp_output output;
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	zerocmp_run(&output, pid, NULL);
	EXPECT_TRUE(zerocmp_refused(&output, 1, "it has ended"));
	zerocmp_run(&output, pid, "pagemap");
	EXPECT_TRUE(zerocmp_refused(&output, 1, "it has ended"));
	ASSERT_EQ(0, exit_status(pid));
	zerocmp_run(&output, pid, NULL);
	EXPECT_TRUE(zerocmp_refused(&output, 1, "no such process"));
}

TEST(kernel_thread)
{
	struct zerocmp_output output;
	char name[64];
	size_t i;

	if (geteuid() || readlink("/proc/2/exe", name, sizeof(name)) >= 0)
		SKIP(return, "needs root, and PID 2 to be a kernel thread");
	for (i = 0; i < null_by_count(); i++) {
		zerocmp_run(&output, 2, null_by_methods[i]);
		EXPECT_TRUE(zerocmp_refused(&output, 1, "a kernel thread"));
	}
}

static bool no_root(void)
{
	return !setgid(65534) && !setuid(65534);
}

static bool no_admin(void)
{
	return !prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0);
}

/* Without privilege only PAGEMAP_SCAN works, and only on one's own process. */
TEST(unprivileged)
{
	bool has_scan = null_by_count() == 2;
	struct zerocmp_output output;
	char other[16];

	if (geteuid())
		SKIP(return, "needs root, to give it up");
	snprintf(other, sizeof(other), "%d", getpid());
	zerocmp_run_as(&output, other, NULL, NULL);
	EXPECT_EQ(0, output.status);
	zerocmp_run_as(&output, other, NULL, no_root);
	EXPECT_TRUE(zerocmp_refused(&output, 1, "be root"));
	zerocmp_run_as(&output, NULL, "pagemap", no_root);
	EXPECT_TRUE(zerocmp_refused(&output, 1, "be root"));
	zerocmp_run_as(&output, NULL, NULL, no_root);
	EXPECT_TRUE(has_scan ? !output.status :
		    zerocmp_refused(&output, 1, "be root"));
	zerocmp_run_as(&output, NULL, "scan", no_root);
	EXPECT_TRUE(has_scan ? !output.status :
		    zerocmp_refused(&output, 1, "no PAGEMAP_SCAN"));
}

/* Page frame numbers read as 0, which must not be taken for "no zero page". */
TEST(root_without_sys_admin)
{
	struct zerocmp_output output;

	if (geteuid())
		SKIP(return, "needs root");
	zerocmp_run_as(&output, NULL, "pagemap", no_admin);
	EXPECT_TRUE(zerocmp_refused(&output, 1, "CAP_SYS_ADMIN"));
	zerocmp_run_as(&output, NULL, "pagemap", NULL);
	EXPECT_EQ(0, output.status);
}

/* Starts a process that makes many mappings, stops, and later calls exec. */
static pid_t start_crowd(void)
{
	pid_t pid = fork();
	int i;

	if (!pid) {
		/* Neighbours with different protections do not merge. */
		for (i = 0; i < CROWD; i++)
			mmap(NULL, getpagesize(), i & 1 ? PROT_READ : RW,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		raise(SIGSTOP);
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(99);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

/*
 * Sends the target a signal while zerocmp waits for its reader, which has read some
 * bytes of the output. The pipe done closes when the target exits or calls exec.
 */
static void lose(struct __test_metadata *_metadata, int signal, const char *by,
		 size_t bytes)
{
	int out[2], done[2], err = memfd_create("err", MFD_CLOEXEC);
	struct zerocmp_output output = { };
	char pid[16], block[4096];
	pid_t target, zerocmp;
	size_t left;
	ssize_t n;

	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	target = start_crowd();
	close(done[1]);
	snprintf(pid, sizeof(pid), "%d", target);
	ASSERT_EQ(0, pipe2(out, O_CLOEXEC));
	zerocmp = zerocmp_start(pid, by, NULL, out[1], err);
	close(out[1]);
	for (left = bytes; left; left -= n) {
		n = read(out[0], block, MIN(left, sizeof(block)));
		ASSERT_GT(n, 0);
	}
	kill(target, signal);
	ASSERT_EQ(0, read(done[0], block, 1));
	while (read(out[0], block, sizeof(block)) > 0)
		;
	output.status = exit_status(zerocmp);
	read_and_close(err, output.err, sizeof(output.err));
	EXPECT_TRUE(zerocmp_refused(&output, 1, "it has ended")) {
		TH_LOG("by %s, after %zu bytes: status %d, %s", by, bytes,
		       output.status, output.err);
	}
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	close(out[0]);
	close(done[0]);
}

FIXTURE(meanwhile) {
};

FIXTURE_VARIANT(meanwhile) {
	int signal;
};

FIXTURE_VARIANT_ADD(meanwhile, it_ends) {
	.signal = SIGKILL,
};

FIXTURE_VARIANT_ADD(meanwhile, it_runs_exec) {
	.signal = SIGCONT,
};

FIXTURE_SETUP(meanwhile)
{
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
}

FIXTURE_TEARDOWN(meanwhile)
{
}

/* What tells zerocmp that the target is gone depends on the line it is at. */
TEST_F_TIMEOUT(meanwhile, at_any_line, 300)
{
	size_t i, blocks;

	for (i = 0; i < null_by_count(); i++)
		for (blocks = 0; blocks < BLOCKS; blocks++)
			lose(_metadata, variant->signal, null_by_methods[i],
			     blocks * 4096 + 1);
}

TEST_HARNESS_MAIN
