/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Swap, for as long as a test needs it.
 */
#ifndef SWAP_DEVICE_H
#define SWAP_DEVICE_H

#include <stddef.h>

/**
 * swap_on() - swap on memory, of this process's own
 * @path: filled with the device's, for swapoff(2)
 * @size: of @path
 *
 * Needs root and the kernel's loop driver. The device goes away with the
 * descriptor, once it is swapped off.
 *
 * Return: a descriptor to close; -1 with errno set.
 */
int swap_on(char *path, size_t size);

#endif /* SWAP_DEVICE_H */
