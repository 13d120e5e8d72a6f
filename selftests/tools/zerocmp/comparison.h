/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The comparison that zerocmp prints: what the kernel makes of private mappings,
 * with a row for each fact and a column for each backing.
 */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "backing.h"

#define NR_COMPARISON_ROWS	15

/**
 * struct cell - one fact about one backing
 * @text: the fact, or why it is not known
 * @kind: whether @text is words, a number, or the reason why the fact is "n/a"
 */
struct cell {
	char text[600];
	enum { WORDS, NUMBER, NONE } kind;
};

/**
 * struct column - a backing and the facts about it
 * @backing: the backing
 * @cells: one for each of comparison_rows[]
 */
struct column {
	struct backing backing;
	struct cell cells[NR_COMPARISON_ROWS];
};

struct mapping;

/**
 * struct comparison_row - one row of the comparison
 * @label: its label in the table
 * @key: its key in JSON
 * @fill: finds the fact and fills in the cell
 * @prepare: what to do to the mapping before, or NULL
 *
 * The rows are filled in order, from the same mapping.
 */
struct comparison_row {
	const char *label;
	const char *key;
	void (*fill)(const struct mapping *m, struct cell *cell);
	void (*prepare)(const struct mapping *m);
};

extern const struct comparison_row comparison_rows[NR_COMPARISON_ROWS];

/**
 * fill_column() - map a backing and find all facts about it
 * @column: says which backing; its cells are filled in
 * @area: a free address range of column_area_size() bytes; free again afterwards
 *
 * Return: 0; -1 with errno set where the backing cannot be opened or mapped.
 */
int fill_column(struct column *column, char *area);

/**
 * column_area_size() - how much fill_column() maps
 *
 * Return: bytes.
 */
size_t column_area_size(void);

#endif /* COMPARISON_H */
