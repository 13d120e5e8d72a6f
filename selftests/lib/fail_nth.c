// SPDX-License-Identifier: GPL-2.0-only
#include "fail_nth.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "array_size.h"
#include "proc.h"

#define DEBUGFS		"/sys/kernel/debug"

/* Allocations that may sleep fail, too, and the log does not tell of each. */
static const char *const knobs[][2] = {
	{ DEBUGFS "/failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "/failslab/verbose", "0" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "/fail_page_alloc/ignore-gfp-highmem", "N" },
	{ DEBUGFS "/fail_page_alloc/min-order", "0" },
	{ DEBUGFS "/fail_page_alloc/verbose", "0" },
};

static int fail_nth = -1;

const char *fail_nth_open(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		if (proc_write(knobs[i][0], knobs[i][1]))
			return "needs root, and a kernel with FAILSLAB and FAIL_PAGE_ALLOC";
	}
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth < 0 ? "this kernel has no fail-nth" : NULL;
}

/* Nothing may allocate once the number is written, so it is formatted before. */
static void set_nth(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		perror("fail-nth");
}

void fail_nth_arm(int n)
{
	set_nth(n);
}

bool fail_nth_disarm(void)
{
	char text[16] = "";
	ssize_t len = pread(fail_nth, text, sizeof(text) - 1, 0);

	set_nth(0);
	return len > 0 && text[0] == '0';
}
