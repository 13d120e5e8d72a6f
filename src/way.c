// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in which a mapping of the design "anon" becomes anonymous memory: the one
 * that is safe on the running kernel.
 */
#include "anonzero.h"

/* Make with ANONZERO_WAY=2 to try the second way on a kernel of the first. */
#ifndef ANONZERO_WAY
#define ANONZERO_WAY ANONZERO_IN_HOOK
#endif

static enum anonzero_way way;

static const char *const way_words[] = {
	[ANONZERO_IN_HOOK] = "in ->mmap",
	[ANONZERO_AT_ENTRY] = "at the entry of do_mmap()",
	[ANONZERO_BY_CORE] = "by the kernel itself",
};

/*
 * The series that has core mm make /dev/zero anonymous brings this function, and
 * takes an anonymous VMA from no driver. Another errno means that it is there.
 */
static bool way_is_core(void)
{
	unsigned long address;
	int ret = anonzero_symbol("file_is_dev_zero", &address);

	return ret != -ENOENT && ret != -EOPNOTSUPP;
}

/**
 * anonzero_way_init() - find out which way this kernel needs
 *
 * Context: module load; sleeps.
 * Return: 0; -EOPNOTSUPP, with a line in the log, where no way is known to be safe.
 */
int anonzero_way_init(void)
{
	way = ANONZERO_WAY;
	if (COMPAT_MMAP_FAILS_AFTER_HOOK)
		way = ANONZERO_AT_ENTRY;
	if (way_is_core()) {
		way = ANONZERO_BY_CORE;
		return 0;
	}
	if (!COMPAT_IS_NEWER_THAN_READ)
		return 0;
	pr_err("this kernel is newer than this version of anonzero knows, and does not make /dev/zero anonymous itself: take a newer anonzero\n");
	return -EOPNOTSUPP;
}

/**
 * anonzero_way() - which way this kernel needs
 *
 * Context: any, after anonzero_way_init().
 * Return: the way.
 */
enum anonzero_way anonzero_way(void)
{
	return way;
}

/**
 * anonzero_way_words() - the same for a reader of the log
 *
 * Return: how, or by whom, mappings are made anonymous.
 */
const char *anonzero_way_words(void)
{
	return way_words[way];
}
