/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out by trying what tells the mapping designs apart: each backing makes a
 * row of the table of designs. Needs root, kprobe events and the module.
 */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include "backing.h"

#define NR_PROPERTIES	9

/**
 * struct row - a design and its properties
 * @label: its name in the table
 * @cells: one for each of properties_head[]; "n/a" where the running kernel does
 *	not tell
 */
struct row {
	char label[64];
	char cells[NR_PROPERTIES][64];
};

extern const char *const properties_head[NR_PROPERTIES];

/**
 * properties_find() - try out a backing
 * @backing: the backing
 * @row: filled in
 *
 * Return: 0; -1 with errno set where the backing cannot be opened or mapped.
 */
int properties_find(const struct backing *backing, struct row *row);

#endif /* PROPERTIES_H */
