// SPDX-License-Identifier: GPL-2.0-only
#include "fail_nth.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array_size.h"
#include "proc.h"

#define DEBUGFS		"/sys/kernel/debug"

/* By default only what may not sleep fails, and without a word each time. */
static const char *const knobs[][2] = {
	{ DEBUGFS "/failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "/failslab/verbose", "0" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-highmem", "N" },
	{ DEBUGFS "/fail_page_alloc/min-order", "0" },
	{ DEBUGFS "/fail_page_alloc/verbose", "0" },
};

static int fail_nth = -1;

const char *fault_open(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		if (proc_write(knobs[i][0], knobs[i][1]))
			return "needs root, and a kernel with FAILSLAB and FAIL_PAGE_ALLOC";
	}
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth < 0 ? "this kernel has no fail-nth" : NULL;
}

/* Formatted before it is written: nothing may happen in between. */
static void set_nth(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		perror("fail-nth");
}

void fault_arm(int n)
{
	set_nth(n);
}

bool fault_disarm(void)
{
	char text[16] = "";
	ssize_t len = pread(fail_nth, text, sizeof(text) - 1, 0);

	set_nth(0);
	return len > 0 && text[0] == '0';
}

const char *leak_start(void)
{
	if (proc_write(KMEMLEAK, "scan") || proc_write(KMEMLEAK, "clear"))
		return "needs root, and a kernel with DEBUG_KMEMLEAK";
	return NULL;
}

void leak_report(char *report, size_t size)
{
	int fd;
	ssize_t len = 0;

	/* An object must be seen unreferenced, and unchanged, more than once. */
	proc_write(KMEMLEAK, "scan");
	sleep(6);
	proc_write(KMEMLEAK, "scan");
	proc_write(KMEMLEAK, "scan");
	fd = open(KMEMLEAK, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		len = read(fd, report, size - 1);
	report[len > 0 ? len : 0] = '\0';
	close(fd);
}
