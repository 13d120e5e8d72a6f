/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smaps with a field that it lacks: how much of a mapping is the zero page.
 */
#ifndef SMAPS_NULL_H
#define SMAPS_NULL_H

#include <sys/types.h>

#include "zeropage.h"

/**
 * null_print_smaps() - /proc/PID/smaps, with the zero pages of each mapping
 * @pid: the process
 * @by: how to count them
 *
 * Behind each line of Rss comes one of Null; the last line of all, Null_Total, is
 * their sum.
 *
 * Return: 0; -1 with errno set, as by zeropage_open() where nothing was printed
 * yet, and ESRCH where the process went away meanwhile.
 */
int null_print_smaps(pid_t pid, enum zeropage_by by);

#endif /* SMAPS_NULL_H */
