/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for a child process.
 */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

/**
 * exit_status() - wait for a child process
 * @pid: the child
 *
 * Return: its exit status, or -1 where it was killed.
 */
int exit_status(pid_t pid);

#endif /* CHILD_H */
