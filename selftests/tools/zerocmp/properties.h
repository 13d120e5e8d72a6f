/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells the mapping designs apart, found by trying: a row of README.md's
 * table for each backing. Needs root, kprobe events and the module.
 */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include "backing.h"

#define NR_PROPERTIES	9

/**
 * struct row - a design and its properties
 * @label: what to call it
 * @cells: one for each of properties_head[]; "n/a" where the kernel at hand
 *	cannot tell
 */
struct row {
	char label[64];
	char cells[NR_PROPERTIES][64];
};

extern const char *const properties_head[NR_PROPERTIES];

/**
 * properties_find() - try out a backing
 * @backing: which
 * @row: filled in
 *
 * Return: 0; -1 with errno set where the backing cannot be opened or mapped.
 */
int properties_find(const struct backing *backing, struct row *row);

#endif /* PROPERTIES_H */
