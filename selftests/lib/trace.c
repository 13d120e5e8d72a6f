// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_size.h"
#include "proc.h"

#define TRACEFS		"/sys/kernel/tracing"

static const struct probe *events;
static size_t nr_events;

static char instance[128];

/* Writes to a file of this process's instance. */
static int set(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	return proc_write(path, text);
}

/* Appends to kprobe_events: to truncate it would remove everybody's probes. */
static int define(const char *definition)
{
	return proc_append(TRACEFS "/kprobe_events", definition);
}

static int define_event(const struct probe *event)
{
	char definition[256];
	int ret = -1;
	size_t i;

	for (i = 0; ret && i < ARRAY_SIZE(event->symbols) && event->symbols[i];
	     i++) {
		snprintf(definition, sizeof(definition), "%c:anonzero_%d/%s %s %s",
			 event->at_return ? 'r' : 'p', getpid(), event->name,
			 event->symbols[i], event->fetch);
		ret = define(definition);
	}
	return ret;
}

static int enable_event(const struct probe *event)
{
	char file[128];

	snprintf(file, sizeof(file), "events/anonzero_%d/%s/enable", getpid(),
		 event->name);
	return set(file, "1");
}

const char *trace_open(const struct probe *probes, size_t n)
{
	size_t i;

	events = probes;
	nr_events = n;

	if (access(TRACEFS "/kprobe_events", W_OK))
		return "needs root, tracefs and CONFIG_KPROBE_EVENTS";
	snprintf(instance, sizeof(instance), TRACEFS "/instances/anonzero_%d",
		 getpid());
	if (mkdir(instance, 0700))
		return "cannot make an instance of tracefs";
	for (i = 0; i < nr_events; i++) {
		if (define_event(&events[i]) || enable_event(&events[i])) {
			trace_close();
			return "this kernel has not got the functions, or they cannot be probed";
		}
	}
	return NULL;
}

int trace_start(pid_t pid)
{
	char text[16] = "";

	if (pid)
		snprintf(text, sizeof(text), "%d", pid);
	if (set("set_event_pid", text) || set("trace", ""))
		return -1;
	return set("tracing_on", "1");
}

FILE *trace_stop(void)
{
	char path[256];

	if (set("tracing_on", "0"))
		return NULL;
	snprintf(path, sizeof(path), "%s/trace", instance);
	return fopen(path, "re");
}

bool trace_is(const char *line, const char *name)
{
	char mark[32];

	snprintf(mark, sizeof(mark), " %s: ", name);
	return strstr(line, mark);
}

bool trace_field(const char *line, const char *key, __u64 *value)
{
	const char *at = strstr(line, key);

	return at && sscanf(at + strlen(key), "%llx", value) == 1;
}

void trace_close(void)
{
	char definition[64];
	size_t i;

	/* Removing the instance disables the events, which can then be removed. */
	rmdir(instance);
	for (i = 0; i < nr_events; i++) {
		snprintf(definition, sizeof(definition), "-:anonzero_%d/%s",
			 getpid(), events[i].name);
		define(definition);
	}
}
