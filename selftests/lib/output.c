// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

static const char *output_program;
static int output_status;
static bool output_child_lost;
static int output_error;

/* stdio forgets why a write failed that was not the last: the reason is kept here. */
static ssize_t output_write(void *cookie, const char *buffer, size_t size)
{
	size_t done = 0;
	ssize_t n;

	/* To stdio, less than all is an error. */
	while (done < size) {
		n = write(STDOUT_FILENO, buffer + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			output_error = errno;
			break;
		}
		done += n;
	}
	return done;
}

static int output_close(void *cookie)
{
	int ret = close(STDOUT_FILENO);

	if (ret)
		output_error = errno;
	return ret;
}

static void output_finish(void)
{
	bool lost = output_child_lost || ferror(stdout);

	if (!fclose(stdout) && !lost)
		return;
	fprintf(stderr, "%s: cannot write all of the output%s%s\n", output_program,
		output_error ? ": " : "",
		output_error ? strerror(output_error) : "");
	_exit(output_status);
}

void output_start(const char *program, int status)
{
	bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	int fd;

	/* A file that the program opens is not to become one of the three. */
	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
	if (closed) {
		fprintf(stderr, "%s: standard output is closed\n", program);
		exit(status);
	}
	stdout = fopencookie(NULL, "w", (cookie_io_functions_t){
		.write = output_write, .close = output_close,
	});
	if (!stdout)
		exit(status);
	if (isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOLBF, 0);
	output_program = program;
	output_status = status;
	atexit(output_finish);
}

int output_written(void)
{
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}

void output_lost(void)
{
	output_child_lost = true;
}
