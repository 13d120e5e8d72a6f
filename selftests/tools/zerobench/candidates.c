// SPDX-License-Identifier: GPL-2.0-only
#include "candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array_size.h"

static const char *const known[] = {
	"MAP_ANONYMOUS", "/dev/zero", "/dev/anonzero", "/dev/anonzero+merge",
	"/dev/zero+adopt", "/dev/anonzero-sharded", "/dev/anonzero-fault",
};

/* Takes the ending away where the name has it. */
static bool take_ending(char *name, const char *ending)
{
	char *at = strrchr(name, '+');

	if (!at || at == name || strcmp(at, ending))
		return false;
	*at = '\0';
	return true;
}

/* Writes nothing where nothing changes: that takes no privilege. */
static int switch_to(struct switches to)
{
	struct switches are = switches_read();

	if (are.merge == to.merge && are.adopt == to.adopt)
		return 0;
	errno = switches_set(to);
	return errno ? -1 : 0;
}

/* -1 with errno set where it cannot be had. */
static int rival_open(struct rival *rival, const char *name)
{
	*rival = (struct rival) { .fd = -1 };
	if (strlen(name) >= sizeof(rival->name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(rival->name, name, strlen(name));
	memcpy(rival->path, name, strlen(name));
	rival->needs.merge = take_ending(rival->path, "+merge");
	rival->needs.adopt = take_ending(rival->path, "+adopt");
	rival->backing.name = rival->name;
	if (strcmp(rival->path, "MAP_ANONYMOUS"))
		rival->backing.path = rival->path;
	rival->fd = backing_open(&rival->backing, O_RDONLY);
	if (rival->fd < 0 && errno)
		return -1;
	if (!switch_to(rival->needs))
		return 0;
	if (rival->fd >= 0)
		close(rival->fd);
	return -1;
}

static bool is_same(const struct rival *one, const struct rival *other)
{
	return !strcmp(one->path, other->path) &&
	       one->needs.merge == other->needs.merge &&
	       one->needs.adopt == other->needs.adopt;
}

/* The same backing once more, to be compared with itself, has a number. */
static void number_again(struct rivals *rivals, struct rival *rival)
{
	char *name = rival->name;
	int i, again = 1;

	for (i = 0; i < rivals->n; i++)
		again += is_same(&rivals->rivals[i], rival);
	if (again > 1)
		snprintf(name + strlen(name), sizeof(rival->name) - strlen(name),
			 "#%d", again);
}

/* Says so, and undoes what was done. */
static int give_up(struct rivals *rivals, const char *name, const char *why)
{
	fprintf(stderr, "zerobench: cannot measure %s: %s\n", name, why);
	rivals_close(rivals);
	return -1;
}

int rivals_open(struct rivals *rivals, const char *const *names, size_t n)
{
	struct rival *rival;
	bool all = !n;
	size_t i;

	*rivals = (struct rivals) { .were = switches_read() };
	if (all) {
		names = known;
		n = ARRAY_SIZE(known);
	}
	for (i = 0; i < n; i++) {
		if (rivals->n == MAX_RIVALS)
			return give_up(rivals, names[i], "too many backings");
		rival = &rivals->rivals[rivals->n];
		if (!rival_open(rival, names[i])) {
			number_again(rivals, rival);
			rivals->n++;
		} else if (!all) {
			return give_up(rivals, names[i], strerror(errno));
		}
	}
	return 0;
}

int rival_switch(const struct rival *rival)
{
	if (!switch_to(rival->needs))
		return 0;
	fprintf(stderr, "zerobench: cannot set merge and adopt for %s: %s\n",
		rival->name, strerror(errno));
	return -1;
}

void rivals_close(struct rivals *rivals)
{
	int i;

	for (i = 0; i < rivals->n; i++) {
		if (rivals->rivals[i].fd >= 0)
			close(rivals->rivals[i].fd);
	}
	switch_to(rivals->were);
}
