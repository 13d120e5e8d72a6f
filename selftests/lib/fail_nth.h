/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failing this task's allocations, one at a time, with the kernel's fault
 * injection; and finding what was leaked, with its kmemleak. Needs root.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include <stdbool.h>
#include <stddef.h>

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/**
 * fault_open() - have failslab and fail_page_alloc obey /proc/thread-self/fail-nth
 *
 * Return: NULL, or in words why no fault can be injected here.
 */
const char *fault_open(void);

/**
 * fault_arm() - let the nth allocation of this task from now on fail
 * @n: from 1
 */
void fault_arm(int n);

/**
 * fault_disarm() - let no more allocation fail
 *
 * Return: whether one did since fault_arm().
 */
bool fault_disarm(void);

/**
 * leak_start() - forget all leaks known so far
 *
 * Return: NULL, or in words why leaks cannot be looked for here.
 */
const char *leak_start(void);

/**
 * leak_report() - look for memory that nobody points to any more
 * @report: filled with what kmemleak says, empty if nothing
 * @size: of @report
 *
 * Takes some six seconds: kmemleak does not look at younger objects.
 */
void leak_report(char *report, size_t size);

#endif /* FAIL_NTH_H */
