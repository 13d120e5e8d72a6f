// SPDX-License-Identifier: GPL-2.0-only
/* shmem takes VMA flags of that type. */
#include <linux/shmem_fs.h>

struct file *test(struct vm_area_struct *vma)
{
	return shmem_file_setup("", 0, vma->flags);
}
