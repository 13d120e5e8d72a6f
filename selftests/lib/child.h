/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a child process ended.
 */
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

/**
 * exit_status() - wait for a child
 * @pid: of the child
 *
 * Return: its exit status, or -1 where it did not exit by itself.
 */
int exit_status(pid_t pid);

#endif /* CHILD_H */
