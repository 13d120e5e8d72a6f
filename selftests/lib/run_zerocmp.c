// SPDX-License-Identifier: GPL-2.0-only
#include "run_zerocmp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"

const char *const null_by_methods[] = { "pagemap", "scan" };

/* Asks for PAGEMAP_SCAN by its number, not with the code that is tested. */
size_t null_by_count(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool has_scan = ioctl(fd, 0xc0606610, NULL) && errno == EFAULT;

	close(fd);
	return has_scan ? 2 : 1;
}

static int open_zerocmp(void)
{
	char self[512] = "", path[sizeof(self) + 16];

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	*strrchr(self, '/') = '\0';
	snprintf(path, sizeof(path), "%s/zerocmp", self);
	return open(path, O_PATH | O_CLOEXEC);
}

pid_t zerocmp_start(const char *pid, const char *by, bool (*give_up)(void),
		    int out, int err)
{
	char own[16];
	char *const argv[] = {
		"zerocmp", "--pid", pid ? (char *)pid : own,
		by ? "--null-by" : NULL, (char *)by, NULL,
	};
	int program = open_zerocmp();
	pid_t child = fork();

	if (!child) {
		snprintf(own, sizeof(own), "%d", getpid());
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		/* A process that has given up root may not reach the path. */
		if (!give_up || give_up())
			fexecve(program, argv, environ);
		_exit(99);
	}
	close(program);
	return child;
}

void read_and_close(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	text[len] = '\0';
	close(fd);
}

void zerocmp_run_as(struct zerocmp_output *output, const char *pid,
		    const char *by, bool (*give_up)(void))
{
	int out = memfd_create("out", MFD_CLOEXEC);
	int err = memfd_create("err", MFD_CLOEXEC);

	output->status = exit_status(zerocmp_start(pid, by, give_up, out, err));
	read_and_close(out, output->out, sizeof(output->out));
	read_and_close(err, output->err, sizeof(output->err));
}

void zerocmp_run(struct zerocmp_output *output, pid_t pid, const char *by)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	zerocmp_run_as(output, text, by, NULL);
}

bool zerocmp_refused(const struct zerocmp_output *output, int status,
		     const char *why)
{
	const char *err = output->err;

	return output->status == status && !*output->out &&
	       !strncmp(err, "zerocmp: ", 9) &&
	       strchr(err, '\n') == err + strlen(err) - 1 && strstr(err, why);
}

const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line && line[1] ? line + 1 : NULL;
}

bool smaps_range(const char *line, unsigned long *start, unsigned long *end)
{
	return sscanf(line, "%lx-%lx ", start, end) == 2;
}

long smaps_null_kb(const char *smaps, unsigned long addr)
{
	unsigned long start, end;
	bool here = false;
	const char *line;
	long kb;

	for (line = smaps; line; line = next_line(line)) {
		if (smaps_range(line, &start, &end))
			here = start <= addr && addr < end;
		else if (here && sscanf(line, "Null: %ld kB\n", &kb) == 1)
			return kb;
	}
	return -1;
}
