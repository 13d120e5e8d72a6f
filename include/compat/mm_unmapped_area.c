// SPDX-License-Identifier: GPL-2.0-only
/* The search for a free range is of the running process's mm. */
#include <linux/sched/mm.h>

unsigned long test(void)
{
	return mm_get_unmapped_area(NULL, 0, 0, 0, 0);
}
