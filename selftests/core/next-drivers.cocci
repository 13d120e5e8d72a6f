// SPDX-License-Identifier: GPL-2.0-only
// Applies to: mm/internal.h mm/vma.c
//
// A driver may not make a mapping anonymous. If ->mmap has done so, the kernel warns
// once, and mmap(2) fails with EINVAL; it fails so, too, if ->mmap_prepare leaves no
// vm_ops.

@ mmap @
identifier file, vma, err;
@@
 mmap_file(struct file *file, struct vm_area_struct *vma)
 {
 int err = vfs_mmap(file, vma);
+if (!err && WARN_ON_ONCE(vma_is_anonymous(vma)))
+	err = -EINVAL;
 ...
 }

@ mmap_prepare @
identifier desc, err;
@@
 call_mmap_prepare(..., struct vm_area_desc *desc)
 {
 ... when any
 err = vfs_mmap_prepare(..., desc);
 if (err)
 	return err;
+if (!desc->vm_ops)
+	return -EINVAL;
 ... when any
 }
