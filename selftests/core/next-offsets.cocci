// SPDX-License-Identifier: GPL-2.0-only
// Applies to: mm/vma.h include/linux/pagemap.h
//
// No anonymous mapping has a file any more. So CONFIG_DEBUG_VM asserts of each that its
// page offset is that of its address, and leaves out none.

@ set @
identifier vma;
@@
 assert_sane_pgoff(struct vm_area_struct *vma, ...)
 {
 ...
-if (vma->vm_file)
-	return;
 ...
 }

@ index @
identifier vma;
@@
 linear_anon_page_index(const struct vm_area_struct *vma, ...)
 {
 ...
-if (vma_is_anonymous(vma) && !vma->vm_file)
+if (vma_is_anonymous(vma))
 	VM_WARN_ON_ONCE(...);
 ...
 }
