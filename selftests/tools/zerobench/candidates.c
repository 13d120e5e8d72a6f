// SPDX-License-Identifier: GPL-2.0-only
#include "candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array_size.h"

/* Lists the names of all candidates, and returns how many there are. */
static size_t list_names(const char **names)
{
	static const char *const fixed[] = {
		"MAP_ANONYMOUS", "/dev/zero", "/dev/anonzero",
		"/dev/anonzero+merge", "/dev/zero+adopt",
	};
	size_t n, i;

	for (n = 0; n < ARRAY_SIZE(fixed); n++)
		names[n] = fixed[n];
	for (i = 0; i < nr_backings && n < MAX_CANDIDATES; i++) {
		/* These two map as /dev/anonzero and /dev/zero do. */
		if (backings[i] == &backing_anon || backings[i] == &backing_hybrid)
			continue;
		if (backings[i]->design)
			names[n++] = backings[i]->name;
	}
	return n;
}

/* Cuts the ending off the name, and returns whether it was there. */
static bool take_ending(char *name, const char *ending)
{
	char *at = strrchr(name, '+');

	if (!at || at == name || strcmp(at, ending))
		return false;
	*at = '\0';
	return true;
}

/* Writes parameters only to change them: to leave them takes no privilege. */
static int switch_to(struct switches to)
{
	struct switches are = switches_read();

	/* Elsewhere merge is refused to be off, whatever is measured. */
	if (module_way() != WAY_HOOK)
		to.merge = are.merge;
	if (are.merge == to.merge && are.adopt == to.adopt)
		return 0;
	errno = switches_set(to);
	return errno ? -1 : 0;
}

/* Opens one backing. Returns 0, or -1 with errno set. */
static int candidate_open(struct candidate *candidate, const char *name)
{
	*candidate = (struct candidate) { .fd = -1 };
	if (strlen(name) >= sizeof(candidate->name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(candidate->name, name, strlen(name));
	memcpy(candidate->path, name, strlen(name));
	candidate->needs.merge = take_ending(candidate->path, "+merge");
	candidate->needs.adopt = take_ending(candidate->path, "+adopt");
	candidate->backing.name = candidate->name;
	if (strcmp(candidate->path, "MAP_ANONYMOUS"))
		candidate->backing.path = candidate->path;
	candidate->fd = backing_open(&candidate->backing, O_RDONLY);
	if (candidate->fd < 0 && errno)
		return -1;
	if (!switch_to(candidate->needs))
		return 0;
	if (candidate->fd >= 0)
		close(candidate->fd);
	return -1;
}

static bool is_same(const struct candidate *one, const struct candidate *other)
{
	return !strcmp(one->path, other->path) &&
	       one->needs.merge == other->needs.merge &&
	       one->needs.adopt == other->needs.adopt;
}

/* A backing that is listed again, to be compared with itself, gets a number. */
static void number_again(struct candidates *candidates,
			 struct candidate *candidate)
{
	char *name = candidate->name;
	int i, again = 1;

	for (i = 0; i < candidates->n; i++)
		again += is_same(&candidates->list[i], candidate);
	if (again > 1)
		snprintf(name + strlen(name),
			 sizeof(candidate->name) - strlen(name), "#%d", again);
}

/* Prints why a backing cannot be measured, and closes those that are open. */
static int give_up(struct candidates *candidates, const char *name,
		   const char *why)
{
	fprintf(stderr, "zerobench: cannot measure %s: %s\n", name, why);
	candidates_close(candidates);
	return -1;
}

int candidates_open(struct candidates *candidates, const char *const *names,
		    size_t n)
{
	const char *known[MAX_CANDIDATES];
	struct candidate *candidate;
	bool all = !n;
	size_t i;

	*candidates = (struct candidates) { .were = switches_read() };
	if (all) {
		n = list_names(known);
		names = known;
	}
	for (i = 0; i < n; i++) {
		if (candidates->n == MAX_CANDIDATES)
			return give_up(candidates, names[i], "too many backings");
		candidate = &candidates->list[candidates->n];
		if (!candidate_open(candidate, names[i])) {
			number_again(candidates, candidate);
			candidates->n++;
		} else if (!all) {
			return give_up(candidates, names[i], strerror(errno));
		}
	}
	return 0;
}

int candidate_switch(const struct candidate *candidate)
{
	if (!switch_to(candidate->needs))
		return 0;
	fprintf(stderr, "zerobench: cannot set merge and adopt for %s: %s\n",
		candidate->name, strerror(errno));
	return -1;
}

void candidates_close(struct candidates *candidates)
{
	int i;

	for (i = 0; i < candidates->n; i++) {
		if (candidates->list[i].fd >= 0)
			close(candidates->list[i].fd);
	}
	switch_to(candidates->were);
}
