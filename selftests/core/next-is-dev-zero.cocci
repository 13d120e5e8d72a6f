// SPDX-License-Identifier: GPL-2.0-only
// Applies to: drivers/char/mem.c include/linux/mm.h
//
// Core mm can tell the files of /dev/zero from all others: file_is_dev_zero() compares a
// file's operations with those of the device. The function is global, so kallsyms has it.

@ defined @
typedef bool;
@@
+bool file_is_dev_zero(const struct file *file)
+{
+	return file && file->f_op == &zero_fops;
+}
+
 memory_open(...) { ... }

@ declared @
typedef bool;
@@
+bool file_is_dev_zero(const struct file *file);
+
 vma_set_anonymous(...) { ... }
