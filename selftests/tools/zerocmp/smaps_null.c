// SPDX-License-Identifier: GPL-2.0-only
#include "smaps_null.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zeropage.h"

static void print_kb(const char *label, unsigned long pages)
{
	printf("%-15s %8lu kB\n", label, pages * (getpagesize() / 1024));
}

/* Whether the line has a mapping's range, as the first of each block has. */
static bool is_header(const char *line, unsigned long *start, unsigned long *end)
{
	unsigned long from, to;

	if (sscanf(line, "%lx-%lx ", &from, &to) != 2)
		return false;
	*start = from;
	*end = to;
	return true;
}

static int print_blocks(FILE *smaps, const struct zeropage *process)
{
	unsigned long start = 0, end = 0, total = 0;
	char *line = NULL;
	size_t size = 0;
	long n = 0;

	while (n >= 0 && getline(&line, &size, smaps) > 0) {
		fputs(line, stdout);
		if (is_header(line, &start, &end) || strncmp(line, "Rss:", 4))
			continue;
		n = zeropage_count(process, start, end);
		if (n >= 0)
			print_kb("Null:", n);
		total += n;
	}
	free(line);
	/* The loop has ended early: something could not be counted, or read. */
	if (!feof(smaps))
		return -1;
	/* The smaps of a kernel thread is empty, as it has no memory. */
	if (!end)
		errno = ESRCH;
	/* smaps ends without an error even if the memory has gone meanwhile. */
	if (!end || zeropage_count(process, 0, getpagesize()) < 0)
		return -1;
	print_kb("Null_Total:", total);
	return 0;
}

int smaps_null_print(pid_t pid, enum zeropage_by by)
{
	struct zeropage process;
	char path[64];
	FILE *smaps;
	int ret = -1;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	if (zeropage_open(&process, pid, by))
		return -1;
	smaps = fopen(path, "re");
	if (smaps) {
		ret = print_blocks(smaps, &process);
		fclose(smaps);
	}
	zeropage_close(&process);
	return ret;
}
