/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names anonymous memory, by prctl(PR_SET_VMA_ANON_NAME).
 */
#ifndef VMA_NAME_H
#define VMA_NAME_H

#include <errno.h>
#include <linux/prctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA		0x53564d41
#define PR_SET_VMA_ANON_NAME	0
#endif

/**
 * vma_set_name() - name or rename the VMAs of a range
 * @addr: start of the range
 * @len: bytes
 * @name: at most 79 characters; NULL for none
 *
 * Return: 0, or an errno.
 */
static inline int vma_set_name(void *addr, size_t len, const char *name)
{
	return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, addr, len, name) ?
	       errno : 0;
}

/**
 * kernel_has_names() - whether the running kernel has CONFIG_ANON_VMA_NAME
 *
 * A kernel without it returns EINVAL always, even for an empty range.
 *
 * Return: whether it has.
 */
static inline bool kernel_has_names(void)
{
	return vma_set_name(NULL, 0, NULL) != EINVAL;
}

#endif /* VMA_NAME_H */
