// SPDX-License-Identifier: GPL-2.0-only
#include "fd_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

/* Makes a pipe that holds ten bytes. */
static void make_pipe(int *fds)
{
	if (pipe(fds) || write(fds[1], "0123456789", 10) != 10)
		abort();
}

long splice_to(int fd, loff_t *offset, size_t len, unsigned int flags)
{
	int fds[2], left;
	long ret;

	make_pipe(fds);
	ret = splice(fds[0], NULL, fd, offset, len, flags);
	if (ioctl(fds[0], FIONREAD, &left))
		left = -1;
	close(fds[0]);
	close(fds[1]);
	return ret < 0 ? ret : ret * 1000 + left;
}

long splice_from(int fd, loff_t *offset, size_t len, char *buffer)
{
	int fds[2], error;
	long ret;

	if (pipe(fds))
		abort();
	ret = splice(fd, offset, fds[1], NULL, len, SPLICE_F_NONBLOCK);
	error = errno;
	if (ret > 0 && read(fds[0], buffer, ret) != ret)
		ret = -2;
	close(fds[0]);
	close(fds[1]);
	errno = error;
	return ret;
}

long poll_result(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = 0x7fff };

	return poll(&pollfd, 1, 0) * 100000 + pollfd.revents;
}

long select_result(int fd)
{
	struct timeval now = { };
	fd_set r, w, x;

	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_ZERO(&x);
	FD_SET(fd, &r);
	FD_SET(fd, &w);
	FD_SET(fd, &x);
	return select(fd + 1, &r, &w, &x, &now);
}

long epoll_result(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	long ret = epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);

	close(epoll);
	return ret;
}

long stat_result(int fd)
{
	struct stat st;

	return fstat(fd, &st) ?: st.st_size + st.st_blocks + st.st_mode;
}

long open_result(const char *path, int flags, char *buffer)
{
	int fd = open(path, flags, 0600), error;
	long ret;

	if (fd < 0)
		return -1;
	ret = 10000 * read(fd, buffer, 100);
	error = errno;
	ret += write(fd, buffer, 100);
	close(fd);
	errno = error;
	return ret;
}

static void on_alarm(int signal)
{
}

ssize_t interrupted_read(int fd, char *buffer, size_t size, bool vector)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, off = { };
	struct sigaction action = { .sa_handler = on_alarm };
	struct iovec iov[2] = { { buffer, size / 2 }, { buffer, size / 2 } };
	ssize_t ret = size;
	int i;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 10000 && ret == (ssize_t)size; i++)
		ret = vector ? readv(fd, iov, 2) : read(fd, buffer, size);
	setitimer(ITIMER_REAL, &off, NULL);
	return ret;
}
