/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backings that zerobench compares, each with the module parameters that it
 * needs.
 */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "backing.h"
#include "module.h"

#define MAX_CANDIDATES	16

/**
 * struct candidate - a backing to be measured
 * @name: "MAP_ANONYMOUS" or a path; "+merge" or "+adopt" where that parameter is to
 *	be on; "#2" and so on where the backing is listed again
 * @path: the name without what follows the path
 * @backing: what @path maps
 * @fd: from backing_open()
 * @needs: what the module's parameters must be while it is measured
 */
struct candidate {
	char name[64];
	char path[64];
	struct backing backing;
	int fd;
	struct switches needs;
};

/**
 * struct candidates - all backings to be compared
 * @list: the backings
 * @n: how many there are
 * @were: what the module's parameters were before
 */
struct candidates {
	struct candidate list[MAX_CANDIDATES];
	int n;
	struct switches were;
};

/**
 * candidates_open() - open the backings named, or all that are there
 * @candidates: filled in
 * @names: names as in struct candidate
 * @n: how many names there are; 0 for all that this kernel and user have
 *
 * Return: 0; -1 where one cannot be opened, which is printed to standard error.
 */
int candidates_open(struct candidates *candidates, const char *const *names,
		    size_t n);

/**
 * candidate_switch() - set the module's parameters to what a backing needs
 * @candidate: the backing
 *
 * Return: 0; -1 where they cannot be set, which is printed to standard error.
 */
int candidate_switch(const struct candidate *candidate);

/**
 * candidates_close() - close the backings, and restore the module's parameters
 * @candidates: from candidates_open()
 */
void candidates_close(struct candidates *candidates);

#endif /* CANDIDATES_H */
