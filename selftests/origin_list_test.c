// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the list of marked mappings as a file: who may read it, and that it can be
 * read in pieces, while many processes come and go, and while the module is
 * reloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "child.h"
#include "module.h"
#include "origin.h"
#include "origin_fixture.h"

#define NR_FORKERS	3
#define SECONDS		5

/* The letters behind "State:", as ps(1) shows them; valid until the next call. */
static const char *process_state(pid_t pid)
{
	static char line[128];
	char path[64];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status) &&
	       strncmp(line, "State:", 6))
		;
	if (status)
		fclose(status);
	return line;
}

TEST_F(origin, root_only)
{
	struct stat st;
	pid_t pid;

	ASSERT_EQ(0, stat(ORIGIN_LIST, &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		_exit(open(ORIGIN_LIST, O_RDONLY) < 0 && errno == EACCES ? 0 : 2);
	}
	EXPECT_EQ(0, exit_status(pid));
}

/* A reader that reads a few bytes at a time gets the same text. */
TEST_F(origin, read_in_pieces)
{
	char whole[65536] = "", pieces[65536] = "";
	int fd = open(ORIGIN_LIST, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;
	int i;

	for (i = 0; i < 300; i++)
		ASSERT_NE(MAP_FAILED,
			  mmap(NULL, self->page, i & 1 ? PROT_READ : RW,
			       MAP_PRIVATE, self->fd, 0));
	while ((n = read(fd, whole + len, sizeof(whole) - 1 - len)) > 0)
		len += n;
	EXPECT_LT(300 * 20, len);
	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	len = 0;
	while ((n = read(fd, pieces + len, 37)) > 0 && len < sizeof(pieces) - 64) {
		len += n;
		/* This would hang if the reader had left mmap_lock held. */
		EXPECT_EQ(0, mprotect(self->map, self->len, RW));
	}
	EXPECT_STREQ(whole, pieces);
	close(fd);
}

static void *outlive(void *ready)
{
	char byte = 1;

	/* Its entry in /proc says so once the main thread is a zombie. */
	while (!strchr(process_state(getpid()), 'Z'))
		usleep(1000);
	if (write(*(int *)ready, &byte, 1) != 1)
		_exit(1);
	pause();
	return NULL;
}

/* A process lives for as long as one of its threads does. */
TEST_F(origin, main_thread_is_gone)
{
	struct origin origin;
	char byte = 0;
	int ready[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, outlive, &ready[1]))
			_exit(1);
		/* This thread alone. */
		syscall(SYS_exit, 0);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_TRUE(origin_find(pid, self->map, &origin));
	EXPECT_EQ(self->len / 2 / 1024, origin.rss_kb);
	kill(pid, SIGKILL);
	exit_status(pid);
	EXPECT_FALSE(origin_find(pid, self->map, &origin));
}

/* What is counted are requests, whatever the kernel then says of them. */
TEST_F(origin, requests_are_counted)
{
	struct switches before = switches_read();
	const struct switches merge = { .merge = true };
	long requests;
	int i, made = 0;

	if (switches_set(merge))
		SKIP(return, "this kernel has no probe: merge=1 is refused");
	requests = origin_requests();
	ASSERT_LE(0, requests);
	for (i = 0; i < 100; i++)
		made += mmap(self->map, self->page, RW,
			     MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0) !=
			MAP_FAILED;
	EXPECT_EQ(0, made);
	EXPECT_EQ(requests + 100, origin_requests());
	for (i = 0; i < 10; i++)
		made += mmap(NULL, self->page, RW, MAP_PRIVATE, self->fd, 0) !=
			MAP_FAILED;
	EXPECT_EQ(10, made);
	EXPECT_EQ(requests + 110, origin_requests());
	switches_set(before);
	EXPECT_NE(MAP_FAILED, mmap(NULL, self->page, RW, MAP_PRIVATE, self->fd, 0));
	EXPECT_EQ(requests + 110, origin_requests());
}

static volatile sig_atomic_t stopped;

static void on_term(int signal)
{
	stopped = 1;
}

/* Makes processes that map the device, if it is there, and exit. */
static int forker(size_t len)
{
	pid_t pid;

	signal(SIGTERM, on_term);
	while (!stopped) {
		pid = fork();
		if (!pid) {
			int fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
			char *map = mmap(NULL, len, RW, MAP_PRIVATE, fd, 0);

			_exit(map != MAP_FAILED && *map);
		}
		if (exit_status(pid))
			return 1;
	}
	return 0;
}

static int reader(void)
{
	char buffer[512];
	int fd;

	signal(SIGTERM, on_term);
	while (!stopped) {
		fd = open(ORIGIN_LIST, O_RDONLY | O_CLOEXEC);
		while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
			;
		close(fd);
	}
	return 0;
}

TEST_F_TIMEOUT(origin, storm, 120)
{
	time_t end = time(NULL) + SECONDS;
	pid_t pids[NR_FORKERS + 1];
	int ret = 0;
	size_t i;

	if (!module_path())
		SKIP(return, "there is no anonzero.ko: make install, or set ANONZERO_KO");
	close(self->fd);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(i ? forker(self->len) : reader());
	}
	while (!ret && time(NULL) < end) {
		ret = module_unload_patiently();
		if (!ret && !access(ORIGIN_LIST, F_OK))
			ret = EEXIST;
		ret = ret ?: module_load("variants=1 origin=1");
		usleep(20000);
	}
	EXPECT_EQ(0, ret);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		kill(pids[i], SIGTERM);
		EXPECT_EQ(0, exit_status(pids[i]));
	}
	/* The mark outlives the module, and the next module knows it. */
	EXPECT_TRUE(is_marked(self->map));
	ASSERT_EQ(0, module_unload_patiently());
	ASSERT_EQ(0, module_load(module_parameters()));
	EXPECT_TRUE(is_marked(self->map));
}

/* The module cannot be unloaded while the list is open. */
TEST_F(origin, open_list_holds_module)
{
	int fd = open(ORIGIN_LIST, O_RDONLY | O_CLOEXEC);

	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	close(self->fd);
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	close(fd);
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(-1, access(ORIGIN_LIST, F_OK));
	ASSERT_EQ(0, module_load(module_parameters()));
}

TEST_HARNESS_MAIN
