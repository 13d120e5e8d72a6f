// SPDX-License-Identifier: GPL-2.0-only
#include "lock_stat.h"

#include <stdio.h>
#include <string.h>

#include "proc.h"

#define LOCK_STAT	"/proc/lock_stat"
#define SWITCH		"/proc/sys/kernel/lock_stat"

static bool was_off;

int lock_stat_start(void)
{
	was_off = proc_number(SWITCH) == 0;
	return proc_write(SWITCH, "1") ?: proc_write(LOCK_STAT, "0");
}

bool lock_stat_stop(struct lock_stat *stat)
{
	FILE *file = fopen(LOCK_STAT, "re");
	char line[1024], *at;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		/* The name ends in "-W" where the lock is taken for reading, too. */
		at = strstr(line, "i_mmap_rwsem-W:") ?:
		     strstr(line, "i_mmap_rwsem:");
		/* Four times, in microseconds, follow each count of events. */
		found = at && sscanf(strchr(at, ':') + 1,
				     "%*f %lf %*f %*f %*f %*f %*f %lf %*f %*f %lf",
				     &stat->contentions, &stat->acquisitions,
				     &stat->hold_us) == 3;
	}
	if (file)
		fclose(file);
	if (was_off)
		proc_write(SWITCH, "0");
	return found;
}
