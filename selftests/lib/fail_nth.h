/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has the kernel's fault injection fail one allocation of this task. Needs root.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include <stdbool.h>

/**
 * fail_nth_open() - set up failslab and fail_page_alloc, and open fail-nth
 *
 * Return: NULL, or in words why allocations cannot be made to fail here.
 */
const char *fail_nth_open(void);

/**
 * fail_nth_arm() - have the Nth allocation from now on fail
 * @n: which allocation of this task, from 1
 */
void fail_nth_arm(int n);

/**
 * fail_nth_disarm() - have no allocation fail any more
 *
 * Return: whether one has failed since fail_nth_arm().
 */
bool fail_nth_disarm(void);

#endif /* FAIL_NTH_H */
