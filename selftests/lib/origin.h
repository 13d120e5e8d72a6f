/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the module's list of marked mappings, /sys/kernel/debug/anonzero/mappings,
 * which needs root. The list has a line of comment, which ends in the number of
 * requests that became anonymous without a mark; then a line for each mapping:
 *
 *     PID COMM START-END PERMS RSS_KB
 *
 * Blanks and backslashes of COMM are \\ooo, START and END are hexadecimal, RSS_KB is
 * in KiB. The lines are ordered by PID and address.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define ORIGIN_LIST	"/sys/kernel/debug/anonzero/mappings"

/**
 * struct origin - a marked mapping
 * @pid: the process
 * @comm: the process's name, as the list has it
 * @start: first address
 * @end: first address behind it
 * @perms: "rwxp" and the like
 * @rss_kb: KiB in memory
 */
struct origin {
	pid_t pid;
	char comm[80];
	unsigned long start;
	unsigned long end;
	char perms[5];
	unsigned long rss_kb;
};

/**
 * origin_next() - read the next mapping of the list
 * @list: the open list
 * @origin: filled in
 *
 * Return: whether there was one.
 */
bool origin_next(FILE *list, struct origin *origin);

/**
 * origin_find() - find a mapping of a process in the list
 * @pid: the process
 * @addr: any address in it
 * @origin: filled in
 *
 * Return: whether it is there, and so is marked.
 */
bool origin_find(pid_t pid, const void *addr, struct origin *origin);

/**
 * origin_requests() - how many requests of mmap(2) merge and adopt have changed
 *
 * Return: the number in the list's first line; -1 where there is none.
 */
long origin_requests(void);

/**
 * origin_hybrids() - how many mappings of "anon" the probe has left as hybrids
 *
 * Return: the number in the list's first line; -1 where it has none, as where ->mmap
 * makes mappings anonymous.
 */
long origin_hybrids(void);

/**
 * origin_print_maps() - print /proc/PID/maps with marked mappings as /dev/anonzero
 * @pid: the process
 *
 * Return: 0; -1 with errno set where the list or maps cannot be read.
 */
int origin_print_maps(pid_t pid);

/**
 * origin_print_count() - print how much is marked of each process
 *
 * Return: 0; -1 with errno set where the list cannot be read.
 */
int origin_print_count(void);

#endif /* ORIGIN_H */
