/* SPDX-License-Identifier: GPL-2.0-only */
/* For files that are built without kselftest.h, which has the same. */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]))
#endif
