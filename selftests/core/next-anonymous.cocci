// SPDX-License-Identifier: GPL-2.0-only
// Applies to: mm/vma.c
//
// Core mm makes a private mapping of /dev/zero anonymous by itself. Before it tries to
// merge the request with a neighbour, it forgets the file, and takes the page offset
// that an anonymous mapping has at that address. The device's own hook is not called.

@@
typedef bool;
identifier file, vma_flags, map, error;
symbol have_mmap_prepare;
statement S;
@@
 __mmap_region(struct file *file, ..., vma_flags_t vma_flags, ...)
 {
 ... when any
-const bool have_mmap_prepare = file && file->f_op->mmap_prepare;
+const bool private_zero = !vma_flags_test(&vma_flags, VMA_SHARED_BIT) && file_is_dev_zero(file);
+const bool have_mmap_prepare = file && !private_zero && file->f_op->mmap_prepare;
 ... when any
 error = __mmap_setup(&map, ...);
 if (error) S
+if (private_zero) {
+	map.file = NULL;
+	map.pgoff = map.anon_pgoff;
+}
 ... when any
 }
