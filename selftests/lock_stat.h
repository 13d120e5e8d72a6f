/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc/lock_stat, of kernels with CONFIG_LOCK_STAT, has of the rmap locks.
 */
#ifndef LOCK_STAT_H
#define LOCK_STAT_H

#include <stdbool.h>

/**
 * struct lock_stat - of i_mmap_rwsem taken for writing, of all files together
 * @contentions: how often it was waited for
 * @acquisitions: how often it was taken
 * @hold_us: microseconds for which it was held, the sum
 */
struct lock_stat {
	double contentions;
	double acquisitions;
	double hold_us;
};

/**
 * lock_stat_read() - what happened since lock_stat_clear()
 * @stat: filled in
 *
 * Return: whether the kernel tells.
 */
bool lock_stat_read(struct lock_stat *stat);

/**
 * lock_stat_clear() - count from nothing; takes root
 *
 * Return: 0; -1 with errno set.
 */
int lock_stat_clear(void);

#endif /* LOCK_STAT_H */
