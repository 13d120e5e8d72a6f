/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds leaked memory with the kernel's kmemleak. Needs root.
 */
#ifndef KMEMLEAK_H
#define KMEMLEAK_H

#include <stddef.h>

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/**
 * kmemleak_clear() - have the kernel forget the leaks that it knows
 *
 * Return: NULL, or in words why leaks cannot be found here.
 */
const char *kmemleak_clear(void);

/**
 * kmemleak_report() - find memory that nothing points to any more
 * @report: filled with what kmemleak reports, empty if that is nothing
 * @size: bytes of @report
 *
 * This takes more than six seconds: kmemleak does not look at younger objects.
 */
void kmemleak_report(char *report, size_t size);

#endif /* KMEMLEAK_H */
