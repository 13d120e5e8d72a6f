/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filling a page through userfaultfd.
 */
#ifndef UFFD_H
#define UFFD_H

#include <stddef.h>

enum uffd_fill {
	UFFD_ZEROPAGE,
	UFFD_COPY,
	UFFD_POISON,
};

/**
 * uffd_open() - open a userfaultfd and shake hands
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
 * @page: the page, not touched yet; its range is registered for the call
 * @how: which ioctl to fill it by; UFFD_COPY fills it with 0x5a
 *
 * Return: 0 or an errno: ENOTTY where the headers do not know the ioctl,
 * ENOSYS or EPERM where there is no userfaultfd to be had, EINVAL where the
 * kernel does not know the ioctl, else the kernel's answer.
 */
int uffd_fill_page(void *page, enum uffd_fill how);

#endif /* UFFD_H */
