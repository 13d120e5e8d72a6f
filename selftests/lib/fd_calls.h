/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a descriptor answers to calls that take some setting up, each as one
 * number to compare. They leave errno as the call did.
 */
#ifndef FD_CALLS_H
#define FD_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * splice_to() - splice from a pipe that holds ten bytes
 * @fd: where to
 * @offset: as for splice(2), or NULL
 * @len: bytes
 * @flags: SPLICE_F_*
 *
 * Return: bytes taken times 1000, plus bytes left; or -1.
 */
long splice_to(int fd, loff_t *offset, size_t len, unsigned int flags);

/**
 * splice_from() - splice to an empty pipe, and read what is in it then
 * @fd: where from
 * @offset: as for splice(2), or NULL
 * @len: bytes
 * @buffer: filled with what came
 *
 * Return: bytes; -1; or -2 where the pipe held fewer than was said.
 */
long splice_from(int fd, loff_t *offset, size_t len, char *buffer);

/**
 * poll_answer() - poll(2) for everything, without waiting
 * @fd: descriptor
 *
 * Return: what poll returned times 100000, plus the events.
 */
long poll_answer(int fd);

/**
 * select_answer() - select(2) for everything, without waiting
 * @fd: descriptor
 *
 * Return: what select returned.
 */
long select_answer(int fd);

/**
 * epoll_answer() - add a descriptor to an epoll set
 * @fd: descriptor
 *
 * Return: what epoll_ctl returned.
 */
long epoll_answer(int fd);

/**
 * stat_answer() - fstat(2)
 * @fd: descriptor
 *
 * Return: size, blocks and mode added up; or -1.
 */
long stat_answer(int fd);

/**
 * open_answer() - open, read a hundred bytes, write a hundred
 * @path: what to open
 * @flags: O_*
 * @buffer: for both
 *
 * Return: what read returned times 10000, plus what write did; or -1.
 */
long open_answer(const char *path, int flags, char *buffer);

/**
 * interrupted_read() - read until a signal cuts one short
 * @fd: where from
 * @buffer: where to
 * @size: bytes, enough for a signal a millisecond to come in between
 * @vector: by readv(2) in place of read(2)
 *
 * Return: what the last read returned, @size where no signal ever came.
 */
ssize_t interrupted_read(int fd, char *buffer, size_t size, bool vector);

#endif /* FD_CALLS_H */
