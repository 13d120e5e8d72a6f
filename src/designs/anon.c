// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "anon": a private mapping is true anonymous memory, to the last field
 * of the VMA what MAP_PRIVATE|MAP_ANONYMOUS makes.
 */
#include "anonzero.h"

static void anon_mmap_private(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	/*
	 * An anonymous VMA's page offset is its address: merging compares it,
	 * and the anonymous rmap of the merged VMA is wrong with any other.
	 */
	vma->vm_file = NULL;
	vma->vm_pgoff = vma->vm_start >> PAGE_SHIFT;
	vma_set_anonymous(vma);
	anonzero_name_vma(vma);
	anonzero_origin_mark(vma);

	/* Never the last reference: mmap(2) holds its own until it returns. */
	fput(file);
}

static unsigned long anon_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pgoff,
					unsigned long flags)
{
	return compat_anon_unmapped_area(addr, len, flags);
}

const struct anonzero_design anonzero_anon = {
	.name		= "anon",
	.mmap_private	= anon_mmap_private,
	.unmapped_area	= anon_unmapped_area,
};
