// SPDX-License-Identifier: GPL-2.0-only
/* VMA flags have a type of their own; before, they were an unsigned long. */
#include <linux/mm_types.h>

vma_flags_t test;
