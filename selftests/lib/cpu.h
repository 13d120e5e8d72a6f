/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CPU_H
#define CPU_H

/**
 * pin_to_cpu() - run this task on one CPU only
 * @cpu: number of the CPU
 *
 * Return: 0; -1 with errno set.
 */
int pin_to_cpu(int cpu);

#endif /* CPU_H */
