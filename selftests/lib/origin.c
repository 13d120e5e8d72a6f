// SPDX-License-Identifier: GPL-2.0-only
#include "origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMN	73	/* where the name begins in /proc/PID/maps */

bool origin_next(FILE *list, struct origin *origin)
{
	char line[256];

	while (fgets(line, sizeof(line), list)) {
		if (sscanf(line, "%d %79s %lx-%lx %4s %lu", &origin->pid,
			   origin->comm, &origin->start, &origin->end,
			   origin->perms, &origin->rss_kb) == 6)
			return true;
	}
	return false;
}

bool origin_find(pid_t pid, const void *addr, struct origin *origin)
{
	unsigned long at = (unsigned long)addr;
	FILE *list = fopen(ORIGIN_LIST, "re");
	bool found = false;

	while (list && !found && origin_next(list, origin))
		found = origin->pid == pid && origin->start <= at &&
			at < origin->end;
	if (list)
		fclose(list);
	return found;
}

/* Returns the number behind the colon that follows a word of the first line. */
static long head_number(const char *word)
{
	FILE *list = fopen(ORIGIN_LIST, "re");
	char line[256] = "";
	const char *at = NULL;
	long number = -1;

	if (list && fgets(line, sizeof(line), list))
		at = strstr(line, word);
	if (list)
		fclose(list);
	if (!at || sscanf(at, "%*[^:]: %ld", &number) != 1)
		return -1;
	return number;
}

long origin_requests(void)
{
	return head_number("requests made anonymous");
}

long origin_hybrids(void)
{
	return head_number("left as hybrids");
}

/* Returns the process's mappings in order, with an empty one at the end. */
static struct origin *origins_of(pid_t pid)
{
	FILE *list = fopen(ORIGIN_LIST, "re");
	struct origin *origins = NULL, *more, one;
	size_t n = 0;

	if (!list)
		return NULL;
	do {
		one = (struct origin) { };
		while (origin_next(list, &one) && one.pid != pid)
			one = (struct origin) { };
		more = realloc(origins, (n + 1) * sizeof(one));
		if (!more) {
			free(origins);
			origins = NULL;
			break;
		}
		origins = more;
		origins[n++] = one.pid == pid ? one : (struct origin) { };
	} while (origins[n - 1].end);
	fclose(list);
	return origins;
}

static void print_line(char *line, const struct origin *origins)
{
	unsigned long start = 0, end = 0;
	int name = 0;

	if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &name) != 2)
		return;
	for (; origins->end && origins->end < end; origins++)
		;
	if (origins->start > start || origins->end < end || !name) {
		fputs(line, stdout);
		return;
	}
	line[name] = '\0';
	line[strcspn(line, "\n")] = '\0';
	printf("%-*s/dev/anonzero\n", NAME_COLUMN, line);
}

int origin_print_maps(pid_t pid)
{
	struct origin *origins = origins_of(pid);
	char path[64], line[4600];
	FILE *maps;

	if (!origins)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		print_line(line, origins);
	if (maps)
		fclose(maps);
	free(origins);
	return maps ? 0 : -1;
}

static void print_sum(const struct origin *origin, unsigned long n,
		      unsigned long kb, unsigned long rss_kb)
{
	if (n)
		printf("%d %s %lu %lu %lu\n", origin->pid, origin->comm, n, kb,
		       rss_kb);
}

int origin_print_count(void)
{
	unsigned long n = 0, kb = 0, rss_kb = 0;
	FILE *list = fopen(ORIGIN_LIST, "re");
	struct origin one, last = { };

	if (!list)
		return -1;
	printf("# PID COMM MAPPINGS SIZE_KB RSS_KB\n");
	while (origin_next(list, &one)) {
		if (one.pid != last.pid) {
			print_sum(&last, n, kb, rss_kb);
			n = 0;
			kb = 0;
			rss_kb = 0;
		}
		n++;
		kb += (one.end - one.start) / 1024;
		rss_kb += one.rss_kb;
		last = one;
	}
	print_sum(&last, n, kb, rss_kb);
	fclose(list);
	return 0;
}
