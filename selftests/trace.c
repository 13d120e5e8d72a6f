// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_size.h"
#include "proc.h"

#define TRACEFS		"/sys/kernel/tracing"

/* An address_space is shorter; i_mmap_rwsem lies behind i_mmap in it. */
#define MAPPING_SIZE	256

#define MAX_TREES	16

/*
 * The first name that the kernel has is taken: i_mmap was an interval tree of
 * that name until 7.2.
 */
static const struct event {
	const char *name;
	const char *symbols[2];
	const char *fetch;
} events[] = {
	{ "insert", { "vma_interval_tree_insert", "mapping_rmap_tree_insert" },
	  "start=+0($arg1):x64 tree=$arg2:x64" },
	{ "insert_after",
	  { "vma_interval_tree_insert_after", "mapping_rmap_tree_insert_after" },
	  "start=+0($arg1):x64 tree=$arg3:x64" },
	{ "remove", { "vma_interval_tree_remove", "mapping_rmap_tree_remove" },
	  "start=+0($arg1):x64 tree=$arg2:x64" },
	{ "lock", { "down_write" }, "sem=$arg1:x64" },
};

#define NR_EVENTS ARRAY_SIZE(events)

static char instance[128];

static bool has_symbol(const char *symbol)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	bool found = false;

	while (kallsyms && !found && fgets(line, sizeof(line), kallsyms)) {
		found = sscanf(line, "%*s %*c %255s", name) == 1 &&
			!strcmp(name, symbol);
	}
	if (kallsyms)
		fclose(kallsyms);
	return found;
}

/* Writes to a file of the trace instance. */
static int set(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	return proc_write(path, text);
}

/* kprobe_events must be appended to: truncation removes everyone's probes. */
static int define(const char *definition)
{
	int fd = open(TRACEFS "/kprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	ssize_t len = strlen(definition);
	int ret;

	if (fd < 0)
		return -1;
	ret = write(fd, definition, len) == len ? 0 : -1;
	close(fd);
	return ret;
}

static int define_event(const struct event *event)
{
	const char *symbol = event->symbols[0];
	char definition[256];

	if (event->symbols[1] && !has_symbol(symbol))
		symbol = event->symbols[1];
	snprintf(definition, sizeof(definition), "p:anonzero_%d/%s %s %s",
		 getpid(), event->name, symbol, event->fetch);
	return define(definition);
}

static int enable_event(const struct event *event)
{
	char file[128];

	snprintf(file, sizeof(file), "events/anonzero_%d/%s/enable", getpid(),
		 event->name);
	return set(file, "1");
}

const char *trace_open(void)
{
	size_t i;

	if (access(TRACEFS "/kprobe_events", W_OK))
		return "needs root, tracefs and CONFIG_KPROBE_EVENTS";
	snprintf(instance, sizeof(instance), TRACEFS "/instances/anonzero_%d",
		 getpid());
	if (mkdir(instance, 0700))
		return "cannot make an instance of tracefs";
	for (i = 0; i < NR_EVENTS; i++) {
		if (define_event(&events[i]) || enable_event(&events[i])) {
			trace_close();
			return "this kernel's rmap functions cannot be probed";
		}
	}
	return NULL;
}

int trace_start(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	if (set("set_event_pid", text) || set("trace", ""))
		return -1;
	return set("tracing_on", "1");
}

/* The number behind "key=" in a line of the trace. */
static bool take(const char *line, const char *key, __u64 *value)
{
	const char *at = strstr(line, key);

	return at && sscanf(at + strlen(key), "%llx", value) == 1;
}

static bool is_event(const char *line, const char *name)
{
	char mark[32];

	snprintf(mark, sizeof(mark), " %s: ", name);
	return strstr(line, mark);
}

static void remember(__u64 *trees, __u64 tree)
{
	size_t i;

	for (i = 0; i < MAX_TREES - 1 && trees[i] && trees[i] != tree; i++)
		;
	trees[i] = tree;
}

/* Counts the tree operations in the window, and notes the trees. */
static void count_trees(FILE *trace, __u64 window, size_t size,
			struct rmap_counts *counts, __u64 *trees)
{
	__u64 start, tree;
	char line[512];

	while (fgets(line, sizeof(line), trace)) {
		if (!take(line, "start=", &start) || start - window >= size ||
		    !take(line, "tree=", &tree))
			continue;
		remember(trees, tree);
		if (is_event(line, "remove"))
			counts->removes++;
		else
			counts->inserts++;
	}
}

static void count_locks(FILE *trace, struct rmap_counts *counts,
			const __u64 *trees)
{
	char line[512];
	__u64 sem;
	size_t i;

	while (fgets(line, sizeof(line), trace)) {
		if (!take(line, "sem=", &sem))
			continue;
		counts->locks++;
		for (i = 0; i < MAX_TREES && trees[i]; i++) {
			if (sem - trees[i] < MAPPING_SIZE) {
				counts->file_locks++;
				break;
			}
		}
	}
}

int trace_stop(const void *window, size_t size, struct rmap_counts *counts)
{
	__u64 trees[MAX_TREES] = { };
	char path[256];
	FILE *trace;

	*counts = (struct rmap_counts) { };
	if (set("tracing_on", "0"))
		return -1;
	snprintf(path, sizeof(path), "%s/trace", instance);
	trace = fopen(path, "re");
	if (!trace)
		return -1;
	count_trees(trace, (uintptr_t)window, size, counts, trees);
	rewind(trace);
	count_locks(trace, counts, trees);
	fclose(trace);
	return 0;
}

void trace_close(void)
{
	char definition[64];
	size_t i;

	/* Removing the instance disables the events, which frees them to go. */
	rmdir(instance);
	for (i = 0; i < NR_EVENTS; i++) {
		snprintf(definition, sizeof(definition), "-:anonzero_%d/%s",
			 getpid(), events[i].name);
		define(definition);
	}
}
