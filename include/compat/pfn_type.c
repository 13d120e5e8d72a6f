// SPDX-License-Identifier: GPL-2.0-only
/* A page frame number has a type of its own; later, it is an unsigned long. */
#include <linux/pfn_t.h>

pfn_t test;
