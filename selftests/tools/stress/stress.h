/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workers of the stress program, and the actions that they take on memory.
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
 * struct arena - a range of addresses that a worker maps and uses
 * @start: first address, aligned to 2 MiB
 * @fds: descriptors to map, all -1 for anonymous memory
 */
struct arena {
	char *start;
	int fds[NR_FDS];
};

/**
 * struct worker - one thread, with memory of its own
 * @id: its number
 * @random: state of its random numbers
 * @steps: how many steps it has done
 * @page: bytes of a page
 * @device: path of the device
 * @reference: path of the device to compare it with, NULL for anonymous memory
 * @wide: it maps NR_FDS descriptors, not one
 * @arenas: the device's memory, and the memory that must agree with it
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
 * struct step - an action and its arguments
 * @what: index into actions[]
 * @at: first page of the range
 * @pages: pages of the range
 * @to: another page, for an action that needs two
 * @number: a random number, from which the action takes its flags
 */
struct step {
	unsigned int what;
	unsigned long at;
	unsigned long pages;
	unsigned long to;
	unsigned long number;
};

/**
 * struct action - what can be done to an arena
 * @name: its name in messages
 * @fits: returns whether the results can be compared; it is called for both arenas
 *	before @act. NULL where they always can
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
 * stress_open() - open a worker's devices, and make its arenas
 * @w: the worker
 *
 * Where that fails, it prints why and exits with status 2.
 */
void stress_open(struct worker *w);

/**
 * stress_compare() - compare the contents of the two arenas
 * @w: the worker
 * @at: first page to compare
 * @pages: how many pages to compare
 *
 * A page that cannot be read in one arena must not be readable in the other.
 *
 * Return: the first page that differs, or -1.
 */
long stress_compare(struct worker *w, unsigned long at, unsigned long pages);

#endif /* STRESS_H */
