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
 * anonzero_set_file() - give a new mapping another file
 * @vma: the mapping, not in the tree yet
 * @file: the file; the VMA takes over the caller's reference
 *
 * Puts the file that it has. vma_set_file() is not in all kernels.
 *
 * Context: mmap_lock held for writing.
 */
void anonzero_set_file(struct vm_area_struct *vma, struct file *file)
{
	struct file *old = vma->vm_file;

	vma->vm_file = file;
	fput(old);
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

	if (flags & MAP_SHARED || !design->unmapped_area)
		return anonzero_zero_unmapped_area(file, addr, len, pgoff, flags);

	return design->unmapped_area(addr, len, flags);
}
