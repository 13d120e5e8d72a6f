/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's list of marked mappings, /sys/kernel/debug/anonzero/mappings. Its
 * format: a line of comment, which ends in the number of requests that became
 * anonymous without a mark; then for each mapping
 *
 *     PID COMM START-END PERMS RSS_KB
 *
 * with blanks and backslashes of COMM as \\ooo, START and END in hexadecimal,
 * RSS_KB in KiB, ordered by PID and address. Needs root.
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
 * @pid: of the process
 * @comm: its name, as the list has it
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
 * origin_next() - the next mapping of the list
 * @list: the file
 * @origin: filled in
 *
 * Return: whether there is one.
 */
bool origin_next(FILE *list, struct origin *origin);

/**
 * origin_find() - a mapping of a process
 * @pid: the process
 * @addr: any address in it
 * @origin: filled in
 *
 * Return: whether it is marked.
 */
bool origin_find(pid_t pid, const void *addr, struct origin *origin);

/**
 * origin_requests() - how many requests of mmap(2) merge and adopt have changed
 *
 * Return: the number in the list's first line; -1 where there is none.
 */
long origin_requests(void);

/**
 * origin_print_maps() - /proc/PID/maps, with marked mappings called /dev/anonzero
 * @pid: the process
 *
 * Return: 0; -1 with errno set where one of the two cannot be read.
 */
int origin_print_maps(pid_t pid);

/**
 * origin_print_count() - mappings, KiB and KiB in memory of each process
 *
 * Return: 0; -1 with errno set where the list cannot be read.
 */
int origin_print_count(void);

#endif /* ORIGIN_H */
