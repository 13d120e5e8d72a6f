// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a function of the kernel is. kallsyms is not exported to modules; a
 * kprobe that is never armed says as much.
 */
#include "anonzero.h"

#include <linux/kprobes.h>

/**
 * anonzero_symbol() - find a function of the kernel
 * @name: the function's
 * @address: set to its entry, where 0 is returned
 *
 * Context: process context; sleeps.
 * Return: 0; -ENOENT where the kernel has no such function; -EOPNOTSUPP where it
 * has no kprobes; another errno where the function is there and cannot be probed.
 */
int anonzero_symbol(const char *name, unsigned long *address)
{
	struct kprobe kprobe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&kprobe);

	if (ret)
		return ret;
	*address = (unsigned long)kprobe.addr;
	unregister_kprobe(&kprobe);
	return 0;
}
