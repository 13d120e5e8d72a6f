// SPDX-License-Identifier: GPL-2.0-only
/* A file's mmap operations are called by vfs_mmap(); before, by call_mmap(). */
#include <linux/fs.h>

int test(struct file *file, struct vm_area_struct *vma)
{
	return vfs_mmap(file, vma);
}
