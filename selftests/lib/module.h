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
 * module_parameters() - what the tests load the module with
 *
 * $ANONZERO_PARAMETERS, or "variants=1".
 *
 * Return: the parameters, in one string.
 */
const char *module_parameters(void);

/**
 * module_load() - insert the module
 * @parameters: as for insmod, in one string
 *
 * Return: 0 or an errno.
 */
int module_load(const char *parameters);

/**
 * module_load_or_reason() - load the module with module_parameters()
 *
 * Return: NULL where it is loaded now, or was; or in words why it is not.
 */
const char *module_load_or_reason(void);

/**
 * module_unload() - remove the module, if nobody uses it
 *
 * Return: 0 or an errno; EWOULDBLOCK where it is in use.
 */
int module_unload(void);

/**
 * module_unload_patiently() - module_unload(), for as long as it is in use
 *
 * Return: 0 or an errno; EWOULDBLOCK after some seconds.
 */
int module_unload_patiently(void);

/**
 * module_loaded() - whether it is in the kernel now
 *
 * Return: whether.
 */
bool module_loaded(void);

/**
 * module_is_on() - whether a parameter of the module that is loaded is on
 * @parameter: a switch, such as "merge"
 *
 * Return: whether; false where the module is not loaded.
 */
bool module_is_on(const char *parameter);

/**
 * module_switch() - switch a parameter of the module that is loaded
 * @parameter: "merge" or "adopt"
 * @on: to what
 *
 * Return: 0 or an errno.
 */
int module_switch(const char *parameter, bool on);

/**
 * struct switches - the parameters that need the probe
 * @merge: of mappings of the module's own
 * @adopt: of /dev/zero
 */
struct switches {
	bool merge;
	bool adopt;
};

/**
 * switches_read() - how the parameters are, to be set again later
 *
 * Return: them; both off where the module is not loaded.
 */
struct switches switches_read(void);

/**
 * switches_set() - switch both parameters of the module that is loaded
 * @to: to what
 *
 * Return: 0 or an errno.
 */
int switches_set(struct switches to);

/**
 * module_use_count() - how often the module is in use
 *
 * An open file of it counts, and so does a mapping that keeps one.
 *
 * Return: the count, or -1 where the module is not loaded.
 */
long module_use_count(void);

/* Why a test that unloads the module, or counts its users, is skipped. */
#define MODULE_BUILT_IN	"the module is built in: it has no use count"

/**
 * module_is_counted() - whether the module's users are counted
 *
 * Return: whether; false where it is built in, or not loaded.
 */
bool module_is_counted(void);

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
