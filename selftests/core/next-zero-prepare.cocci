// SPDX-License-Identifier: GPL-2.0-only
// Applies to: drivers/char/mem.c
//
// The hook of /dev/zero is left with shared mappings. It takes those for shared that
// have VM_SHARED: MAP_SHARED on a read-only descriptor does not have it.

@@
expression desc;
@@
-if (vma_desc_test(desc, VMA_MAYSHARE_BIT))
+if (vma_desc_test(desc, VMA_SHARED_BIT))
 	return shmem_zero_setup_desc(desc);
 ...
-vma_desc_set_anonymous(desc);
 return 0;
