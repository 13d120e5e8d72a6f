// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_SHARED: each mapping gets a shmem object of its own, as on /dev/zero.
 */
#include "anonzero.h"

/**
 * anonzero_mmap_shared() - back a shared mapping with a new shmem object
 * @vma: the new mapping; its vm_file is left alone on failure
 *
 * Context: mmap_lock held for writing.
 * Return: 0 or a negative errno.
 */
int anonzero_mmap_shared(struct vm_area_struct *vma)
{
	struct file *file = compat_shmem_object(vma);

	if (IS_ERR(file))
		return PTR_ERR(file);

	anonzero_set_file(vma, file);
	/* shmem's ->mmap refuses only sealed files; this one has no seals. */
	return compat_call_mmap(file, vma);
}
