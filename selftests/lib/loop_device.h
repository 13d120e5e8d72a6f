/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block device that O_DIRECT works on.
 */
#ifndef LOOP_DEVICE_H
#define LOOP_DEVICE_H

#include <stddef.h>

/**
 * loop_open() - make a loop device over memory
 * @size: bytes
 * @fill: what each byte of it is
 *
 * Needs root and the kernel's loop driver. The device goes away with the
 * descriptor.
 *
 * Return: a descriptor opened with O_DIRECT; -1 with errno set.
 */
int loop_open(size_t size, int fill);

#endif /* LOOP_DEVICE_H */
