// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "anon": a private mapping is true anonymous memory. Each field of the VMA is
 * what MAP_PRIVATE|MAP_ANONYMOUS makes it. Here is how ->mmap does that; enum
 * anonzero_way says who else may have done it before.
 */
#include "anonzero.h"

static void anon_mmap_private(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	/* What the probe has left alone keeps its file: mmap(2) may yet fail. */
	if (anonzero_way() == ANONZERO_AT_ENTRY) {
		vma_set_anonymous(vma);
		anonzero_origin_count_hybrid();
		return;
	}

	/*
	 * The page offset of an anonymous VMA is its address. Merging compares
	 * it, and with another one the rmap of the merged VMA would be wrong.
	 */
	vma->vm_file = NULL;
	vma->vm_pgoff = vma->vm_start >> PAGE_SHIFT;
	vma_set_anonymous(vma);
	anonzero_name_vma(vma);
	anonzero_origin_mark(vma);

	/* mmap(2) holds a reference until it returns, so this is not the last. */
	fput(file);
}

static int anon_open(struct file *file)
{
	if (anonzero_way() == ANONZERO_BY_CORE)
		anonzero_zero_hand_over(file);
	return 0;
}

const struct anonzero_design anonzero_anon = {
	.name		= "anon",
	.open		= anon_open,
	.mmap_private	= anon_mmap_private,
	.unmapped_area	= compat_anon_unmapped_area,
};
