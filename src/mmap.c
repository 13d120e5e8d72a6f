// SPDX-License-Identifier: GPL-2.0-only
/*
 * One mmap(2) of a node: shared mappings go to shmem, private ones to the
 * node's design.
 */
#include "anonzero.h"

#include <linux/mman.h>

/**
 * anonzero_is_anon() - whether a file is a node of the design "anon"
 * @file: any open file
 *
 * Context: any; the caller holds a reference on @file.
 * Return: whether.
 */
bool anonzero_is_anon(const struct file *file)
{
	return file->f_op->mmap == anonzero_mmap &&
	       anonzero_file_design(file) == &anonzero_anon;
}

/**
 * anonzero_mmap() - the nodes' ->mmap
 * @file: the opened node
 * @vma: the new mapping, not in the tree yet
 *
 * MAP_SHARED on a descriptor without write access loses VM_SHARED in do_mmap()
 * and keeps VM_MAYSHARE: it is shared all the same.
 *
 * Context: mmap_lock held for writing.
 * Return: 0, or a negative errno for a shared mapping that finds no memory.
 */
int anonzero_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct anonzero_design *design = anonzero_file_design(file);

	if (vma->vm_flags & (VM_SHARED | VM_MAYSHARE))
		return anonzero_mmap_shared(vma);

	design->mmap_private(vma);
	return 0;
}

/**
 * anonzero_unmapped_area() - the nodes' ->get_unmapped_area
 * @file: the opened node
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @pgoff: page offset
 * @flags: MAP_* of mmap(2); MAP_SHARED_VALIDATE has the bit of MAP_SHARED
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
unsigned long anonzero_unmapped_area(struct file *file, unsigned long addr,
				     unsigned long len, unsigned long pgoff,
				     unsigned long flags)
{
	const struct anonzero_design *design = anonzero_file_design(file);

	if (flags & MAP_SHARED)
		return anonzero_shared_unmapped_area(addr, len, pgoff, flags);

	return design->unmapped_area(file, addr, len, pgoff, flags);
}
