/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running zerocmp --pid, which lies beside the test program, and reading what it
 * says.
 */
#ifndef RUN_ZEROCMP_H
#define RUN_ZEROCMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct null_answer - what zerocmp said
 * @status: that it exited with
 * @out: on stdout
 * @err: on stderr
 */
struct null_answer {
	int status;
	char out[1 << 17];
	char err[512];
};

/* What --null-by takes: "pagemap", and "scan", which not every kernel has. */
extern const char *const null_methods[];

/**
 * null_nr_methods() - how many of null_methods the running kernel has
 *
 * Return: the count.
 */
size_t null_nr_methods(void);

/**
 * null_start() - start zerocmp --pid
 * @pid: its argument, or NULL for zerocmp's own
 * @by: the argument of --null-by, or NULL for none
 * @give_up: called in the new process first, to give up a privilege; or NULL
 * @out: descriptor for its stdout
 * @err: descriptor for its stderr
 *
 * Return: its process ID.
 */
pid_t null_start(const char *pid, const char *by, bool (*give_up)(void), int out,
		 int err);

/**
 * null_ask_as() - run zerocmp --pid, with arguments as for null_start()
 * @answer: filled in
 * @pid: argument
 * @by: argument, or NULL
 * @give_up: called in the new process first, or NULL
 */
void null_ask_as(struct null_answer *answer, const char *pid, const char *by,
		 bool (*give_up)(void));

/**
 * null_ask() - run zerocmp --pid
 * @answer: filled in
 * @pid: of the process to ask about
 * @by: the argument of --null-by, or NULL for none
 */
void null_ask(struct null_answer *answer, pid_t pid, const char *by);

/**
 * null_refused() - whether it printed nothing but a sentence that says why
 * @answer: from null_ask()
 * @status: it must have exited with
 * @why: words of that sentence, one line on stderr
 *
 * Return: whether it did.
 */
bool null_refused(const struct null_answer *answer, int status, const char *why);

/**
 * null_read() - the text of a file from its start, cut to fit
 * @fd: which is closed
 * @text: filled in
 * @size: of @text
 */
void null_read(int fd, char *text, size_t size);

/**
 * null_next_line() - the line behind a line
 * @line: in text that may go on
 *
 * Return: the line, or NULL.
 */
const char *null_next_line(const char *line);

/**
 * null_range() - the range of a mapping, from the header line of its block
 * @line: any line of smaps
 * @start: filled in
 * @end: filled in
 *
 * Return: whether it is such a line.
 */
bool null_range(const char *line, unsigned long *start, unsigned long *end);

/**
 * null_kb() - the field Null of the mapping at an address
 * @smaps: as zerocmp prints it
 * @addr: the address
 *
 * Return: KiB, or -1 where there is no such field.
 */
long null_kb(const char *smaps, unsigned long addr);

#endif /* RUN_ZEROCMP_H */
