/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills a page by userfaultfd.
 */
#ifndef UFFD_H
#define UFFD_H

#include <stddef.h>

/* The ioctls that can fill a page. */
enum uffd_fill {
	UFFD_ZEROPAGE,
	UFFD_COPY,
	UFFD_POISON,
};

/**
 * uffd_open() - open a userfaultfd, and agree on its API
 *
 * Return: the descriptor; -1 with errno set.
 */
int uffd_open(void);

/**
 * uffd_register() - register a range
 * @uffd: from uffd_open()
 * @addr: start of the range
 * @len: bytes
 * @mode: UFFDIO_REGISTER_MODE_*
 *
 * Return: 0 or an errno.
 */
int uffd_register(int uffd, void *addr, size_t len, unsigned long mode);

/**
 * uffd_fill_page() - fill one missing page of a mapping
 * @page: a page that was not touched yet; it is registered for the call
 * @how: by which ioctl; UFFD_COPY fills the page with 0x5a
 *
 * Return: 0 or an errno: ENOTTY where the headers lack the ioctl, ENOSYS or EPERM
 * where userfaultfd cannot be opened, EINVAL where the kernel lacks the ioctl, and
 * any other that the kernel returned.
 */
int uffd_fill_page(void *page, enum uffd_fill how);

#endif /* UFFD_H */
