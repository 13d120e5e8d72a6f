// SPDX-License-Identifier: GPL-2.0-only
/* Names of anonymous memory have a type, whether this kernel has names or not. */
#include <linux/mm_types.h>

struct kref *test(struct anon_vma_name *name)
{
	return &name->kref;
}
