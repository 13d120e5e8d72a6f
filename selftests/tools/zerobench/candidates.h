/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backings that zerobench compares, and what each needs of the module.
 */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "backing.h"
#include "module.h"

#define MAX_RIVALS	16

/**
 * struct rival - one of them
 * @name: "MAP_ANONYMOUS" or a path, and "+merge" or "+adopt"; and "#2" where it
 *	comes a second time
 * @path: without that ending
 * @backing: of @path
 * @fd: from backing_open()
 * @needs: what the module's parameters must be
 */
struct rival {
	char name[64];
	char path[64];
	struct backing backing;
	int fd;
	struct switches needs;
};

/**
 * struct rivals - all of them
 * @rivals: @n of them
 * @n: how many
 * @were: the module's parameters before
 */
struct rivals {
	struct rival rivals[MAX_RIVALS];
	int n;
	struct switches were;
};

/**
 * rivals_open() - open the backings named, or all that are there
 * @rivals: filled in
 * @names: as in struct rival
 * @n: how many; 0: all that this kernel and user have
 *
 * Return: 0; -1 where one cannot be had, which it has said.
 */
int rivals_open(struct rivals *rivals, const char *const *names, size_t n);

/**
 * rival_switch() - set the module's parameters to what a backing needs
 * @rival: which
 *
 * Return: 0; -1 where they cannot be set, which it has said.
 */
int rival_switch(const struct rival *rival);

/**
 * rivals_close() - close them, and set the module's parameters as they were
 * @rivals: from rivals_open()
 */
void rivals_close(struct rivals *rivals);

#endif /* CANDIDATES_H */
