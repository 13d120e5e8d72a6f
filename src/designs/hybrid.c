// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "hybrid": what mainline's /dev/zero does. The VMA faults as anonymous
 * memory but keeps vm_file, and with it a place in the inode's rmap tree.
 */
#include "anonzero.h"

static void hybrid_mmap_private(struct vm_area_struct *vma)
{
	vma_set_anonymous(vma);
}

const struct anonzero_design anonzero_hybrid = {
	.name		= "hybrid",
	.by_hook	= true,
	.mmap_private	= hybrid_mmap_private,
};
