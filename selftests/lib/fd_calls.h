/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls on a descriptor that take some setting up. Each returns one number, which
 * can be compared, and leaves errno as the call left it.
 */
#ifndef FD_CALLS_H
#define FD_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * splice_to() - splice from a pipe that holds ten bytes
 * @fd: descriptor to splice to
 * @offset: as for splice(2), or NULL
 * @len: bytes
 * @flags: SPLICE_F_*
 *
 * Return: bytes taken times 1000, plus bytes left in the pipe; or -1.
 */
long splice_to(int fd, loff_t *offset, size_t len, unsigned int flags);

/**
 * splice_from() - splice to an empty pipe, and read what the pipe holds then
 * @fd: descriptor to splice from
 * @offset: as for splice(2), or NULL
 * @len: bytes
 * @buffer: filled with what was read
 *
 * Return: bytes; -1; or -2 where the pipe holds fewer bytes than splice(2) said.
 */
long splice_from(int fd, loff_t *offset, size_t len, char *buffer);

/**
 * poll_result() - poll(2) for all events, without waiting
 * @fd: descriptor
 *
 * Return: what poll(2) returned, times 100000, plus the events.
 */
long poll_result(int fd);

/**
 * select_result() - select(2) for all events, without waiting
 * @fd: descriptor
 *
 * Return: what select(2) returned.
 */
long select_result(int fd);

/**
 * epoll_result() - add a descriptor to an epoll set
 * @fd: descriptor
 *
 * Return: what epoll_ctl(2) returned.
 */
long epoll_result(int fd);

/**
 * stat_result() - fstat(2), in one number
 * @fd: descriptor
 *
 * Return: the sum of size, blocks and mode; or -1.
 */
long stat_result(int fd);

/**
 * open_result() - open a file, read a hundred bytes and write a hundred
 * @path: the file
 * @flags: O_*
 * @buffer: a hundred bytes, to read to and to write from
 *
 * Return: what read(2) returned, times 10000, plus what write(2) returned; or -1.
 */
long open_result(const char *path, int flags, char *buffer);

/**
 * interrupted_read() - read again and again until a signal cuts a read short
 * @fd: descriptor to read from
 * @buffer: where to read to
 * @size: bytes; it should take longer than a millisecond to read them, as a signal
 *	comes each millisecond
 * @vector: read by readv(2), not by read(2)
 *
 * Return: what the last read returned; @size where no signal cut one short.
 */
ssize_t interrupted_read(int fd, char *buffer, size_t size, bool vector);

#endif /* FD_CALLS_H */
