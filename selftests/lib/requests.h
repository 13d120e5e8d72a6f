/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of requests to mmap(2). They differ in protection, type, length, offset,
 * address and open mode, and have every flag bit and every pair of bits. The kernel
 * refuses most of them.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stddef.h>

#define REQUESTS_AREA	(8UL << 20)	/* bytes that requests_make() takes */

/**
 * struct request - the arguments of one mmap(2)
 * @mode: O_RDONLY, O_WRONLY or O_RDWR, which the descriptor was opened with
 * @addr: address, or NULL
 * @len: bytes
 * @prot: PROT_*, and bits that mean nothing
 * @flags: MAP_*, and bits that mean nothing
 * @offset: bytes
 */
struct request {
	int mode;
	char *addr;
	size_t len;
	unsigned long prot;
	unsigned long flags;
	unsigned long offset;
};

/**
 * struct answer - the kernel's answer to a request
 * @error: 0, or the errno
 * @addr: where the mapping was, which is gone; NULL after an error
 */
struct answer {
	int error;
	char *addr;
};

/**
 * requests_make() - make the table
 * @area: REQUESTS_AREA bytes, of which the first half is PROT_NONE and the second
 *	is unmapped; requests with MAP_FIXED lie in there
 * @every: 1 for the whole table; N for every Nth request
 * @n: set to how many requests there are
 *
 * Return: the table, which is static.
 */
const struct request *requests_make(char *area, size_t every, size_t *n);

/**
 * requests_ask() - make each request, and unmap what it has mapped
 * @requests: the table
 * @n: how many requests there are
 * @fds: descriptors of one device, by mode
 * @answers: filled in, in the table's order
 */
void requests_ask(const struct request *requests, size_t n, const int fds[3],
		  struct answer *answers);

#endif /* REQUESTS_H */
