// SPDX-License-Identifier: GPL-2.0-only
/* An address_space has a lock against page faults. */
#include <linux/fs.h>

struct rw_semaphore *test(struct address_space *mapping)
{
	return &mapping->invalidate_lock;
}
