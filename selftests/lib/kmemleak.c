// SPDX-License-Identifier: GPL-2.0-only
#include "kmemleak.h"

#include <fcntl.h>
#include <unistd.h>

#include "proc.h"

const char *kmemleak_clear(void)
{
	if (proc_write(KMEMLEAK, "scan") || proc_write(KMEMLEAK, "clear"))
		return "needs root, and a kernel with DEBUG_KMEMLEAK";
	return NULL;
}

void kmemleak_report(char *report, size_t size)
{
	int fd;
	ssize_t len = 0;

	/* It reports an object that several scans found unreferenced and unchanged. */
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
