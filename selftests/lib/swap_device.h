/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives a test swap space.
 */
#ifndef SWAP_DEVICE_H
#define SWAP_DEVICE_H

#include <stddef.h>

/**
 * swap_device_open() - make a device in memory, and swap to it
 * @path: filled with the path of the device, for swapoff(2)
 * @size: bytes of @path
 *
 * Needs root and the kernel's loop driver. After swapoff(2) the device goes away
 * with the descriptor.
 *
 * Return: a descriptor to close; -1 with errno set.
 */
int swap_device_open(char *path, size_t size);

#endif /* SWAP_DEVICE_H */
