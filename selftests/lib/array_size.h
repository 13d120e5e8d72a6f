/* SPDX-License-Identifier: GPL-2.0-only */
/* kselftest.h has the same; this is for files that do not include it. */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]))
#endif
