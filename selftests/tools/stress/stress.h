/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of the stress program: what can be done to a range of memory.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stddef.h>

#define ARENA_PAGES	1024
#define NR_FDS		8
#define NR_ACTIONS	17

enum { DEVICE, REFERENCE, NR_ARENAS };

/**
 * struct arena - a range of memory that steps are done to
 * @start: first address, aligned to 2 MiB
 * @fds: descriptors to map from, all -1 for anonymous memory
 */
struct arena {
	char *start;
	int fds[NR_FDS];
};

/**
 * struct worker - one thread, with memory of its own
 * @id: number
 * @random: state of the random numbers
 * @steps: done so far
 * @page: bytes
 * @device: path of the device
 * @reference: path of the one to compare it with, NULL for anonymous memory
 * @wide: maps from NR_FDS descriptors in place of one
 * @arenas: the device's memory, and the memory it must agree with
 * @file: a file as long as an arena, to read from and write to
 */
struct worker {
	int id;
	unsigned long random;
	unsigned long steps;
	size_t page;
	const char *device;
	const char *reference;
	bool wide;
	struct arena arenas[NR_ARENAS];
	int file;
};

/**
 * struct step - one thing to do
 * @what: index into actions[]
 * @at: first page
 * @pages: how many
 * @to: another page, for what needs two
 * @number: from which the action takes its flags
 */
struct step {
	unsigned int what;
	unsigned long at;
	unsigned long pages;
	unsigned long to;
	unsigned long number;
};

/**
 * struct action - a kind of step
 * @name: what to call it
 * @fits: whether it can be compared, asked of both arenas before; or NULL
 * @act: does it; returns a result or a negative errno
 */
struct action {
	const char *name;
	bool (*fits)(struct worker *w, struct arena *arena,
		     const struct step *step);
	long (*act)(struct worker *w, struct arena *arena,
		    const struct step *step);
};

extern const struct action actions[NR_ACTIONS];

/**
 * stress_open() - make the arenas, and open the device
 * @w: the worker; exits the program where that cannot be done
 */
void stress_open(struct worker *w);

/**
 * stress_compare() - compare the contents of the two arenas
 * @w: the worker
 * @at: first page
 * @pages: how many
 *
 * Pages that cannot be read must be so in both.
 *
 * Return: the first page that differs, or -1.
 */
long stress_compare(struct worker *w, unsigned long at, unsigned long pages);

#endif /* STRESS_H */
