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
 * lock_stat_start() - have the kernel count, from nothing; takes root
 *
 * Return: 0; -1 with errno set.
 */
int lock_stat_start(void);

/**
 * lock_stat_stop() - leave counting as it was before lock_stat_start()
 * @stat: filled in with what happened since
 *
 * Return: whether the kernel tells.
 */
bool lock_stat_stop(struct lock_stat *stat);

#endif /* LOCK_STAT_H */
