/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block device, which can be read with O_DIRECT.
 */
#ifndef LOOP_DEVICE_H
#define LOOP_DEVICE_H

#include <stddef.h>

/**
 * loop_device_open() - make a loop device whose bytes are in memory
 * @size: bytes
 * @fill: value of each byte
 *
 * Needs root and the kernel's loop driver. The device goes away with the
 * descriptor.
 *
 * Return: a descriptor, opened with O_DIRECT; -1 with errno set.
 */
int loop_device_open(size_t size, int fill);

#endif /* LOOP_DEVICE_H */
