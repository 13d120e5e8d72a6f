/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs zerocmp --pid, which lies beside the test program, and reads its output.
 */
#ifndef RUN_ZEROCMP_H
#define RUN_ZEROCMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct zerocmp_output - what zerocmp printed, and how it ended
 * @status: its exit status
 * @out: what it printed to standard output
 * @err: what it printed to standard error
 */
struct zerocmp_output {
	int status;
	char out[1 << 17];
	char err[512];
};

/* The arguments of --null-by: "pagemap", and "scan", which not every kernel has. */
extern const char *const null_by_methods[];

/**
 * null_by_count() - how many of null_by_methods work on the running kernel
 *
 * Return: the count.
 */
size_t null_by_count(void);

/**
 * zerocmp_start() - start zerocmp --pid
 * @pid: the argument of --pid, or NULL for zerocmp's own process ID
 * @by: the argument of --null-by, or NULL to leave that out
 * @give_up: gives up a privilege in the new process, and returns whether it could;
 *	or NULL
 * @out: descriptor for zerocmp's standard output
 * @err: descriptor for zerocmp's standard error
 *
 * Return: the process ID of zerocmp.
 */
pid_t zerocmp_start(const char *pid, const char *by, bool (*give_up)(void),
		    int out, int err);

/**
 * zerocmp_run_as() - run zerocmp --pid with less privilege
 * @output: filled in
 * @pid: as for zerocmp_start()
 * @by: as for zerocmp_start()
 * @give_up: as for zerocmp_start()
 */
void zerocmp_run_as(struct zerocmp_output *output, const char *pid,
		    const char *by, bool (*give_up)(void));

/**
 * zerocmp_run() - run zerocmp --pid
 * @output: filled in
 * @pid: the process that zerocmp is to look at
 * @by: the argument of --null-by, or NULL to leave that out
 */
void zerocmp_run(struct zerocmp_output *output, pid_t pid, const char *by);

/**
 * zerocmp_refused() - whether zerocmp printed nothing but one line that says why
 * @output: from zerocmp_run()
 * @status: what its exit status must be
 * @why: words that the line, on standard error, must have
 *
 * Return: whether it did.
 */
bool zerocmp_refused(const struct zerocmp_output *output, int status,
		     const char *why);

/**
 * read_and_close() - read a file from its start, and close it
 * @fd: descriptor of the file
 * @text: filled with as much of the file as fits
 * @size: bytes of @text
 */
void read_and_close(int fd, char *text, size_t size);

/**
 * next_line() - find the next line in a text
 * @line: a line in the text
 *
 * Return: the next line, or NULL after the last.
 */
const char *next_line(const char *line);

/**
 * smaps_range() - read a mapping's range, from the first line of its entry
 * @line: any line of smaps
 * @start: filled in
 * @end: filled in
 *
 * Return: whether the line is the first of an entry.
 */
bool smaps_range(const char *line, unsigned long *start, unsigned long *end);

/**
 * smaps_null_kb() - find the field Null of a mapping
 * @smaps: what zerocmp printed
 * @addr: any address in the mapping
 *
 * Return: KiB, or -1 where there is no such field.
 */
long smaps_null_kb(const char *smaps, unsigned long addr);

#endif /* RUN_ZEROCMP_H */
