// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_SHARED: each mapping gets a shmem object of its own, as on /dev/zero.
 */
#include "anonzero.h"

/* shmem does not export its placement rule; the f_op of a shmem file has it. */
static unsigned long (*shared_shmem_unmapped_area)(struct file *file,
						   unsigned long addr,
						   unsigned long len,
						   unsigned long pgoff,
						   unsigned long flags);

/**
 * anonzero_shared_init() - find shmem's placement rule
 *
 * Context: module load, before a node can be opened.
 * Return: 0 or a negative errno.
 */
int anonzero_shared_init(void)
{
	struct file *file = compat_probe_file();

	if (IS_ERR(file))
		return PTR_ERR(file);
	/* The table is part of the kernel image: it outlives the file. */
	shared_shmem_unmapped_area = file->f_op->get_unmapped_area;
	fput(file);
	return 0;
}

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

	vma_set_file(vma, file);
	fput(file);
	/* shmem's ->mmap refuses only sealed files; this one has no seals. */
	return compat_call_mmap(file, vma);
}

/**
 * anonzero_shared_unmapped_area() - place a shared mapping as shmem would
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @pgoff: page offset
 * @flags: MAP_* of mmap(2)
 *
 * Without a file shmem places an object that is yet to be made, as it does for
 * /dev/zero.
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
unsigned long anonzero_shared_unmapped_area(unsigned long addr,
					    unsigned long len,
					    unsigned long pgoff,
					    unsigned long flags)
{
	return shared_shmem_unmapped_area(NULL, addr, len, pgoff, flags);
}
