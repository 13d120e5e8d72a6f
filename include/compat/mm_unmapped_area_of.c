// SPDX-License-Identifier: GPL-2.0-only
/* The search for a free range takes an mm; before, the mm had the function. */
#include <linux/sched/mm.h>

unsigned long test(struct mm_struct *mm)
{
	return mm_get_unmapped_area(mm, NULL, 0, 0, 0, 0);
}
