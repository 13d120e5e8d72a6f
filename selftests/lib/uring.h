/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes one request by io_uring.
 */
#ifndef URING_H
#define URING_H

#include <liburing.h>
#include <stddef.h>

/**
 * uring_read() - read(2) by io_uring
 * @fd: descriptor
 * @buffer: where to read to
 * @size: bytes
 * @flags: IOSQE_*
 *
 * Return: bytes; or a negative errno, of the request or of setting it up.
 */
long uring_read(int fd, void *buffer, size_t size, unsigned int flags);

/**
 * uring_write() - write(2) by io_uring
 * @fd: descriptor
 * @buffer: where to write from
 * @size: bytes
 * @flags: IOSQE_*
 *
 * Return: bytes; or a negative errno, of the request or of setting it up.
 */
long uring_write(int fd, const void *buffer, size_t size, unsigned int flags);

/**
 * uring_register() - register a buffer, and unregister it again
 * @buffer: start of the buffer
 * @size: bytes
 *
 * Return: 0 or a negative errno; -ENOSYS or -EPERM where there is no io_uring.
 */
int uring_register(void *buffer, size_t size);

#endif /* URING_H */
