/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints smaps with one field more: how much of each mapping is the zero page.
 */
#ifndef SMAPS_NULL_H
#define SMAPS_NULL_H

#include <sys/types.h>

#include "zeropage.h"

/**
 * smaps_null_print() - print /proc/PID/smaps with the zero pages of each mapping
 * @pid: the process
 * @by: how to count the zero pages
 *
 * A line "Null" follows each line "Rss", and the last line, "Null_Total", is their
 * sum.
 *
 * Return: 0; -1 with errno set. Where nothing was printed yet errno is as
 * zeropage_open() sets it; it is ESRCH where the process went away meanwhile.
 */
int smaps_null_print(pid_t pid, enum zeropage_by by);

#endif /* SMAPS_NULL_H */
