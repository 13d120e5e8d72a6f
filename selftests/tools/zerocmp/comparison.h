/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zerocmp's questions: what the kernel makes of a private mapping.
 */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "backing.h"

#define NR_QUESTIONS	15

/**
 * struct cell - one answer
 * @text: the answer, or why there is none
 * @kind: whether @text is words, a number, or the reason of an "n/a"
 */
struct cell {
	char text[600];
	enum { WORDS, NUMBER, NONE } kind;
};

/**
 * struct column - a backing and its answers
 * @backing: what is mapped
 * @cells: one for each of questions[]
 */
struct column {
	struct backing backing;
	struct cell cells[NR_QUESTIONS];
};

struct subject;

/**
 * struct question - one row of the comparison
 * @label: for people
 * @key: for JSON
 * @ask: gets the answer
 * @prepare: what to do to the area before, or NULL
 *
 * They are asked in order, of the same area.
 */
struct question {
	const char *label;
	const char *key;
	void (*ask)(const struct subject *s, struct cell *cell);
	void (*prepare)(const struct subject *s);
};

extern const struct question questions[NR_QUESTIONS];

/**
 * ask_all() - map a backing and ask all questions of it
 * @column: says which backing; filled with the answers
 * @area: a free address range of area_size() bytes; free again afterwards
 *
 * Return: 0; -1 with errno set where the backing cannot be opened or mapped.
 */
int ask_all(struct column *column, char *area);

/**
 * area_size() - what ask_all() maps
 *
 * Return: bytes.
 */
size_t area_size(void);

#endif /* COMPARISON_H */
