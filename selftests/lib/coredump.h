/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a core dump, and finds what it holds of a mapping.
 */
#ifndef COREDUMP_H
#define COREDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Private mappings of files are dumped, too, so that a hybrid shows. */
#define COREDUMP_FILTER "0x37"

/**
 * struct coredump - one core file
 * @path: where it is
 * @old_pattern: the system's core_pattern, to be restored
 */
struct coredump {
	char path[64];
	char old_pattern[256];
};

/**
 * coredump_take() - have a child of this process dump core
 * @dump: filled in
 * @child: called in the child, before it aborts
 * @arg: passed to @child
 *
 * Changes the system's core_pattern meanwhile, which needs root.
 *
 * Return: 0; -1 where core_pattern cannot be set or no core was written.
 */
int coredump_take(struct coredump *dump, void (*child)(void *arg), void *arg);

/**
 * coredump_bytes() - how many bytes of a mapping are in the core
 * @dump: from coredump_take()
 * @addr: an address in the mapping
 *
 * Return: p_filesz of the PT_LOAD at @addr, or -1 where there is none.
 */
ssize_t coredump_bytes(const struct coredump *dump, const void *addr);

/**
 * coredump_lists_file() - whether the note NT_FILE lists a mapping
 * @dump: from coredump_take()
 * @addr: the mapping's first address
 *
 * Return: whether it does; false where there is no such note.
 */
bool coredump_lists_file(const struct coredump *dump, const void *addr);

/**
 * coredump_drop() - remove the core file
 * @dump: from coredump_take()
 */
void coredump_drop(const struct coredump *dump);

#endif /* COREDUMP_H */
