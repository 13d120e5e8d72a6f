/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads and unloads anonzero.ko, and sets its parameters. Needs root.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>

/**
 * module_path() - find anonzero.ko
 *
 * It is $ANONZERO_KO, or where it is installed for the running kernel, or where
 * scripts/vm puts it.
 *
 * Return: the path, or NULL.
 */
const char *module_path(void);

/**
 * module_parameters() - the parameters that the tests load the module with
 *
 * They are $ANONZERO_PARAMETERS, or "variants=1".
 *
 * Return: the parameters, in one string.
 */
const char *module_parameters(void);

/**
 * module_load() - load the module
 * @parameters: as for insmod, in one string
 *
 * Return: 0 or an errno.
 */
int module_load(const char *parameters);

/**
 * module_load_or_reason() - load the module with module_parameters()
 *
 * Return: NULL where it is loaded, now or already; or in words why it is not.
 */
const char *module_load_or_reason(void);

/**
 * module_unload() - unload the module, if nobody uses it
 *
 * Return: 0 or an errno; EWOULDBLOCK where it is in use.
 */
int module_unload(void);

/**
 * module_unload_patiently() - unload the module once nobody uses it any more
 *
 * Return: 0 or an errno; EWOULDBLOCK where it was in use for all of some seconds.
 */
int module_unload_patiently(void);

/**
 * module_loaded() - whether the module is loaded, or built in
 *
 * Return: whether it is.
 */
bool module_loaded(void);

/**
 * module_is_on() - whether a parameter of the loaded module is on
 * @parameter: a switch, such as "merge"
 *
 * Return: whether it is; false where the module is not loaded.
 */
bool module_is_on(const char *parameter);

/**
 * module_switch() - switch a parameter of the loaded module on or off
 * @parameter: "merge", "adopt" or "origin"
 * @on: whether to switch it on
 *
 * Return: 0 or an errno.
 */
int module_switch(const char *parameter, bool on);

/**
 * core_makes_zero_anonymous() - whether private maps of /dev/zero are no hybrids
 *
 * A core mm that makes them anonymous has a function to tell /dev/zero by, in
 * /proc/kallsyms.
 *
 * Return: whether it has.
 */
bool core_makes_zero_anonymous(void);

/**
 * enum module_way - how mappings of "anon" become anonymous
 * @WAY_HOOK: in ->mmap
 * @WAY_PROBE: by the probe at do_mmap(), or not at all
 * @WAY_CORE: by core mm
 */
enum module_way { WAY_HOOK = 1, WAY_PROBE, WAY_CORE };

/**
 * module_way() - how the loaded module makes mappings of "anon" anonymous
 *
 * Where it is not the hook, they merge at once whatever merge= says, which the module
 * refuses to change; where it is core mm, they do so without the module. The list of
 * marked mappings says so, which needs root and debugfs.
 *
 * Return: the way; WAY_HOOK also where the module is not loaded.
 */
enum module_way module_way(void);

/* Why a test of names, of marks, or of merge=0, is skipped. */
#define ALWAYS_MERGED	"mappings merge at entry on this kernel, and have no name and no mark"

/**
 * struct switches - the parameters that need the probe
 * @merge: mappings of /dev/anonzero merge
 * @adopt: mappings of /dev/zero are anonymous
 */
struct switches {
	bool merge;
	bool adopt;
};

/**
 * switches_read() - read both parameters, for instance to restore them later
 *
 * Return: the parameters; both are off where the module is not loaded.
 */
struct switches switches_read(void);

/**
 * switches_set() - set both parameters of the loaded module
 * @to: what to set them to
 *
 * Return: 0 or an errno.
 */
int switches_set(struct switches to);

/**
 * module_use_count() - the module's use count
 *
 * Each open file of its nodes counts, and a mapping may keep a file open.
 *
 * Return: the count, or -1 where the module is not loaded.
 */
long module_use_count(void);

/* The reason to skip a test that unloads the module, or needs its use count. */
#define MODULE_BUILT_IN	"the module is built in: it has no use count"

/**
 * module_is_counted() - whether the module has a use count
 *
 * Return: whether it has; false where it is built in, or not loaded.
 */
bool module_is_counted(void);

/**
 * log_mark() - open the kernel's log at its end
 *
 * Return: a descriptor for log_lines(); -1 with errno set.
 */
int log_mark(void);

/**
 * log_lines() - count the lines that the module has logged since the last call
 * @fd: from log_mark()
 *
 * Return: the count.
 */
int log_lines(int fd);

#endif /* MODULE_H */
