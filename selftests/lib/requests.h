/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of requests to mmap(2): protections, types, every flag bit and pair of
 * bits, lengths, offsets, addresses and open modes, most of which are refused.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include <stddef.h>

#define REQUESTS_AREA	(8UL << 20)	/* bytes that struct places needs */

/**
 * struct request - the arguments of one mmap(2)
 * @mode: O_RDONLY, O_WRONLY or O_RDWR: which descriptor
 * @addr: where, or NULL
 * @len: bytes
 * @prot: PROT_*, and bits that are none
 * @flags: MAP_*, and bits that are none
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
 * struct answer - what came of a request
 * @error: 0, or the errno
 * @addr: where the mapping was, if there was one; it is gone
 */
struct answer {
	int error;
	char *addr;
};

/**
 * requests_make() - make the table
 * @area: REQUESTS_AREA bytes of PROT_NONE, the second half of them unmapped;
 *	requests with MAP_FIXED lie in there
 * @every: 1 for all of it, more for one request in so many
 * @n: set to how many there are
 *
 * Return: the table, which is static.
 */
const struct request *requests_make(char *area, size_t every, size_t *n);

/**
 * requests_ask() - make each request, and take back what it maps
 * @requests: the table
 * @n: how many
 * @fds: descriptors of one device, by mode
 * @answers: filled in, in the table's order
 */
void requests_ask(const struct request *requests, size_t n, const int fds[3],
		  struct answer *answers);

#endif /* REQUESTS_H */
