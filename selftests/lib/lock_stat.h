/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of the rmap locks, from /proc/lock_stat of kernels with
 * CONFIG_LOCK_STAT.
 */
#ifndef LOCK_STAT_H
#define LOCK_STAT_H

#include <stdbool.h>

/**
 * struct lock_stat - i_mmap_rwsem taken for writing, of all files together
 * @contentions: how often somebody had to wait for it
 * @acquisitions: how often it was taken
 * @hold_us: microseconds for which it was held, in sum
 */
struct lock_stat {
	double contentions;
	double acquisitions;
	double hold_us;
};

/**
 * lock_stat_start() - have the kernel count from zero; needs root
 *
 * Return: 0; -1 with errno set.
 */
int lock_stat_start(void);

/**
 * lock_stat_stop() - read the counts, and stop counting if it was off before
 * @stat: filled in with the counts since lock_stat_start()
 *
 * Return: whether the kernel has counts of this lock.
 */
bool lock_stat_stop(struct lock_stat *stat);

#endif /* LOCK_STAT_H */
