// SPDX-License-Identifier: GPL-2.0-only
/*
 * The design "sharded" opens no file while mmap(2) holds mmap_lock: an open may wait
 * for somebody who needs that lock, such as a fanotify listener that reads the
 * mapper's /proc/PID/maps before it allows the open.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "cpu.h"
#include "shard.h"
#include "trace.h"

#define NR_MAPS	20

FIXTURE(opening) {
	int fd;
};

FIXTURE_SETUP(opening)
{
	self->fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "cannot open %s: %s (is the module loaded with variants=1?)",
		     backing_sharded.path, strerror(errno));
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(opening)
{
	close(self->fd);
}

static const struct probe probes[] = {
	{ "open", { "chrdev_open" }, "inode=$arg1:x64" },
};

/* Counts how often the tasks that are watched opened a device. */
static int opens(void)
{
	FILE *trace = trace_stop();
	char line[512];
	int n = 0;

	while (trace && fgets(line, sizeof(line), trace))
		n += trace_is(line, "open");
	if (trace)
		fclose(trace);
	return n;
}

/* The mapper opens nothing, a worker opens the clone; open(2) is the control. */
TEST_F(opening, never_in_the_mapper)
{
	const char *reason = trace_open(probes, 1);
	int i, fd;

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, trace_start(getpid()));
	for (i = 0; i < NR_MAPS; i++)
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, self->fd, 0);
	EXPECT_EQ(0, opens());
	ASSERT_EQ(0, trace_start(getpid()));
	fd = open(backing_sharded.path, O_RDWR | O_CLOEXEC);
	EXPECT_EQ(1, opens());
	ASSERT_EQ(0, trace_start(0));
	EXPECT_TRUE(shard_settle(fd));
	EXPECT_LE(1, opens());
	close(fd);
	trace_close();
}

/* Reads the mapper's maps before it allows each open, and writes a byte then. */
static void listen_to(int fanotify, int asked, pid_t mapper)
{
	struct fanotify_event_metadata event;
	struct fanotify_response response = { .response = FAN_ALLOW };
	char path[64], buffer[4096];
	int maps;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "/proc/%d/maps", mapper);
	while (read(fanotify, &event, sizeof(event)) >= (ssize_t)sizeof(event)) {
		maps = open(path, O_RDONLY | O_CLOEXEC);
		while (read(maps, buffer, sizeof(buffer)) > 0)
			;
		close(maps);
		response.fd = event.fd;
		if (write(fanotify, &response, sizeof(response)) < 0 ||
		    write(asked, "", 1) != 1)
			_exit(1);
		close(event.fd);
	}
	_exit(1);
}

static bool was_asked(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&poll_fd, 1, 1000) == 1 && read(fd, &byte, 1) == 1;
}

/*
 * A listener watches the node, and a file as the control. Up to 7.3 the kernel asks
 * listeners about files and directories only, so for a device nobody has to wait.
 */
TEST_F_TIMEOUT(opening, under_a_listener, 60)
{
	char path[] = "/tmp/anonzero.XXXXXX";
	int file = mkstemp(path), asked[2], listener;
	pid_t pid;

	listener = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);
	if (listener < 0 ||
	    fanotify_mark(listener, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path) ||
	    fanotify_mark(listener, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD,
			  backing_sharded.path))
		SKIP(return, "cannot get fanotify permission events: %s",
		     strerror(errno));
	ASSERT_EQ(0, pipe(asked));
	pid = fork();
	if (!pid)
		listen_to(listener, asked[1], getppid());
	close(file);
	file = open(path, O_RDONLY | O_CLOEXEC);
	EXPECT_LE(0, file);
	EXPECT_TRUE(was_asked(asked[0]));
	EXPECT_TRUE(shard_settle(self->fd));
	TH_LOG("the listener was %sasked for the clone",
	       was_asked(asked[0]) ? "" : "not ");
	kill(pid, SIGKILL);
	exit_status(pid);
	close(file);
	unlink(path);
}

TEST_HARNESS_MAIN
