/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Variables of the running kernel, through /dev/mem. Needs root, a kernel that
 * lets it (CONFIG_STRICT_DEVMEM=n) and that tells where they are
 * (CONFIG_KALLSYMS_ALL): a kernel for debugging.
 */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

/**
 * kernel_memory_reason() - whether a variable can be reached
 * @symbol: its name
 *
 * Return: NULL where it can, or in words why not.
 */
const char *kernel_memory_reason(const char *symbol);

/**
 * kernel_memory_read() - read a variable of type int
 * @symbol: its name
 *
 * Return: the value; -1 where it cannot be read.
 */
int kernel_memory_read(const char *symbol);

/**
 * kernel_memory_write() - write a variable of type int
 * @symbol: its name
 * @value: the value
 *
 * Return: 0; -1 where it cannot be written.
 */
int kernel_memory_write(const char *symbol, int value);

#endif /* KERNEL_MEMORY_H */
