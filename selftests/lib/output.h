/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output that cannot be written is a failure of the program.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

/**
 * output_start() - have the program fail where its output is not written
 * @program: its name, for the message
 * @status: what it exits with then
 *
 * To be called first: exits at once where standard output is closed, since the next
 * file to be opened would be written to in its place. When the program exits,
 * whatever was not written is said on standard error, once.
 */
void output_start(const char *program, int status);

/**
 * output_written() - write what was printed so far
 *
 * Return: 0, or -1 where some output was lost, now or before.
 */
int output_written(void);

/**
 * output_lost() - count the output of a child as lost
 *
 * For a child that leaves by _exit(), as it could not write its output.
 */
void output_lost(void);

#endif
