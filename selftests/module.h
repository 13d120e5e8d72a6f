/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading and unloading anonzero.ko. Needs root.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>

/**
 * module_path() - where anonzero.ko is
 *
 * $ANONZERO_KO, or the place where it is installed for the running kernel, or
 * where scripts/vm puts it.
 *
 * Return: the path, or NULL.
 */
const char *module_path(void);

/**
 * module_load() - insert the module
 * @parameters: as for insmod, in one string
 *
 * Return: 0 or an errno.
 */
int module_load(const char *parameters);

/**
 * module_unload() - remove the module, if nobody uses it
 *
 * Return: 0 or an errno; EWOULDBLOCK where it is in use.
 */
int module_unload(void);

/**
 * module_loaded() - whether it is in the kernel now
 *
 * Return: whether.
 */
bool module_loaded(void);

/**
 * log_mark() - remember the end of the kernel's log
 *
 * Return: a descriptor for log_lines(); -1 with errno set.
 */
int log_mark(void);

/**
 * log_lines() - how many lines the module has logged since
 * @fd: from log_mark(); moves on to the end of the log
 *
 * Return: the count.
 */
int log_lines(int fd);

#endif /* MODULE_H */
