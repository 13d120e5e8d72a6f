// SPDX-License-Identifier: GPL-2.0-only
/*
 * zerocmp --pid where it cannot count: one sentence that says why, and a status.
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
#define CROWD		200	/* mappings, whose smaps fit no pipe */
#define BLOCKS		16	/* nor do they less these */

TEST(bad_arguments)
{
	static const char *const pids[] = { "", "0", "-1", "1x", "4294967297" };
	struct null_answer answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		null_ask_as(&answer, pids[i], NULL, NULL);
		EXPECT_TRUE(null_refused(&answer, 2, "takes a process ID"));
	}
	null_ask(&answer, getpid(), "scans");
	EXPECT_TRUE(null_refused(&answer, 2, "takes scan or pagemap"));
}

TEST(no_memory)
{
	struct null_answer answer;
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	if (geteuid())
		SKIP(return, "needs root for /proc/kpageflags");
	null_ask(&answer, pid, NULL);
	EXPECT_TRUE(null_refused(&answer, 1, "it has ended"));
	null_ask(&answer, pid, "pagemap");
	EXPECT_TRUE(null_refused(&answer, 1, "it has ended"));
	ASSERT_EQ(0, exit_status(pid));
	null_ask(&answer, pid, NULL);
	EXPECT_TRUE(null_refused(&answer, 1, "no such process"));
}

TEST(kernel_thread)
{
	struct null_answer answer;
	char name[64];
	size_t i;

	if (geteuid() || readlink("/proc/2/exe", name, sizeof(name)) >= 0)
		SKIP(return, "needs root, and PID 2 to be a kernel thread");
	for (i = 0; i < null_nr_methods(); i++) {
		null_ask(&answer, 2, null_methods[i]);
		EXPECT_TRUE(null_refused(&answer, 1, "a kernel thread"));
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

/* Without privilege PAGEMAP_SCAN counts, where there is one, and one's own only. */
TEST(unprivileged)
{
	bool has_scan = null_nr_methods() == 2;
	struct null_answer answer;
	char other[16];

	if (geteuid())
		SKIP(return, "needs root, to give it up");
	snprintf(other, sizeof(other), "%d", getpid());
	null_ask_as(&answer, other, NULL, NULL);
	EXPECT_EQ(0, answer.status);
	null_ask_as(&answer, other, NULL, no_root);
	EXPECT_TRUE(null_refused(&answer, 1, "be root"));
	null_ask_as(&answer, NULL, "pagemap", no_root);
	EXPECT_TRUE(null_refused(&answer, 1, "be root"));
	null_ask_as(&answer, NULL, NULL, no_root);
	EXPECT_TRUE(has_scan ? !answer.status :
		    null_refused(&answer, 1, "be root"));
	null_ask_as(&answer, NULL, "scan", no_root);
	EXPECT_TRUE(has_scan ? !answer.status :
		    null_refused(&answer, 1, "no PAGEMAP_SCAN"));
}

/* Page frame numbers read as 0: that must not pass for "no zero page". */
TEST(root_without_sys_admin)
{
	struct null_answer answer;

	if (geteuid())
		SKIP(return, "needs root");
	null_ask_as(&answer, NULL, "pagemap", no_admin);
	EXPECT_TRUE(null_refused(&answer, 1, "CAP_SYS_ADMIN"));
	null_ask_as(&answer, NULL, "pagemap", NULL);
	EXPECT_EQ(0, answer.status);
}

/* A process that stops with many mappings, and runs a program when it goes on. */
static pid_t start_crowd(void)
{
	pid_t pid = fork();
	int i;

	if (!pid) {
		/* Neighbours that differ do not merge. */
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
 * The target gets a signal while zerocmp waits for its reader, who has read so
 * many bytes of its answer. done is a pipe that closes as the target's first
 * program ends.
 */
static void lose(struct __test_metadata *_metadata, int signal, const char *by,
		 size_t bytes)
{
	int out[2], done[2], err = memfd_create("err", MFD_CLOEXEC);
	struct null_answer answer = { };
	char pid[16], block[4096];
	pid_t target, zerocmp;
	size_t left;
	ssize_t n;

	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	target = start_crowd();
	close(done[1]);
	snprintf(pid, sizeof(pid), "%d", target);
	ASSERT_EQ(0, pipe2(out, O_CLOEXEC));
	zerocmp = null_start(pid, by, NULL, out[1], err);
	close(out[1]);
	for (left = bytes; left; left -= n) {
		n = read(out[0], block, MIN(left, sizeof(block)));
		ASSERT_GT(n, 0);
	}
	kill(target, signal);
	ASSERT_EQ(0, read(done[0], block, 1));
	while (read(out[0], block, sizeof(block)) > 0)
		;
	answer.status = exit_status(zerocmp);
	null_read(err, answer.err, sizeof(answer.err));
	EXPECT_TRUE(null_refused(&answer, 1, "it has ended")) {
		TH_LOG("by %s, %zu: %d %s", by, bytes, answer.status, answer.err);
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

/* At many a line: what tells it is not the same everywhere. */
TEST_F_TIMEOUT(meanwhile, at_any_line, 300)
{
	size_t i, blocks;

	for (i = 0; i < null_nr_methods(); i++)
		for (blocks = 0; blocks < BLOCKS; blocks++)
			lose(_metadata, variant->signal, null_methods[i],
			     blocks * 4096 + 1);
}

TEST_HARNESS_MAIN
