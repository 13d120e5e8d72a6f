// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times what a mapping costs, for several backings in turn, and counts what
 * explains it. Writes a line of JSON for each load and backing, with all that
 * it takes to compute everything again.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "array_size.h"
#include "json.h"
#include "module.h"
#include "output.h"
#include "rivals.h"
#include "why.h"

#define MAX_ROUNDS	1000
#define MAX_LOADS	32

static const char usage[] =
"usage: zerobench [-hTeuw] [-l LOAD]... [-b BACKING]... [-n TASKS]\n"
"                 [-r ROUNDS] [-N OPERATIONS] [-m MAPPINGS] [-s SEED]\n"
"\n"
"Times each LOAD on each BACKING and prints a line of JSON for the two.\n"
"BACKING is MAP_ANONYMOUS or a device, with +merge or +adopt behind it where that\n"
"parameter of the module is to be on meanwhile, which takes root; without one,\n"
"all that are there. One that comes twice is compared with itself. In each round\n"
"all backings come, in random order; a first round is thrown away, and so is a\n"
"run of a tenth before each that counts.\n"
"\n"
"-l LOAD        small-allocs (map 40 KiB read-only, read all of it, unmap nothing),\n"
"               map, unmap, map-unmap, fault-read, fault-write, fork, split\n"
"               (mprotect a middle, and back), teardown (exit); without one, all\n"
"-n TASKS       at once (1)\n"
"-T             tasks are threads of one process, not processes\n"
"-e             each task opens the device for itself\n"
"-u             tasks are not pinned to CPUs\n"
"-r ROUNDS      that count (5)\n"
"-N OPERATIONS  of each task in a round (by the load)\n"
"-m MAPPINGS    that each task of fork has (100)\n"
"-s SEED        of the order (the time)\n"
"-w             print why, too: for each backing VMAs, bytes of slab and page tables\n"
"               and rmap locks a mapping, where the kernel lets them be counted\n";

/**
 * struct bench - what is to be done
 * @cpu: what it is done on
 * @crew: by whom
 * @each: each task has a descriptor of its own
 * @why: explain it, too
 * @rounds: that count
 * @operations: of each task in a round, or 0: the load's own number
 * @mappings: of a task that forks
 * @seed: of the order
 * @loads: @nr_loads of them, or all
 * @nr_loads: of @loads
 * @names: @nr_names of backings, or all
 * @nr_names: of @names
 */
struct bench {
	const char *cpu;
	struct crew crew;
	bool each;
	bool why;
	long rounds;
	long operations;
	long mappings;
	unsigned long seed;
	const struct load *loads[MAX_LOADS];
	size_t nr_loads;
	const char *names[MAX_RIVALS];
	size_t nr_names;
};

/**
 * struct series - the rounds of one backing
 * @ns: that each took
 * @place: that the backing had in each, from 0
 */
struct series {
	__s64 ns[MAX_ROUNDS];
	int place[MAX_ROUNDS];
};

static const char *cpu_model(void)
{
	static char line[256];
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *model = "";

	while (file && !*model && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "model name", 10) && strchr(line, ':'))
			model = strchr(line, ':') + 2;
	}
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return model;
}

/* What each line has: on what it was measured, where, and by whom. */
static void print_setup(const struct bench *bench, const struct rival *rival)
{
	struct utsname uts;

	uname(&uts);
	printf("\"backing\": ");
	json_string(rival->name);
	printf(", \"kernel\": ");
	json_string(uts.release);
	printf(", \"cpu\": ");
	json_string(bench->cpu);
	printf(", \"cpus\": %ld, \"tasks\": %d", sysconf(_SC_NPROCESSORS_ONLN),
	       bench->crew.tasks);
	printf(", \"threads\": %s, \"pinned\": %s, \"descriptors\": \"%s\"",
	       bench->crew.threads ? "true" : "false",
	       bench->crew.pinned ? "true" : "false",
	       bench->each ? "each" : "shared");
}

static int print_series(const struct bench *bench, const struct load *load,
			const struct rival *rival, long operations,
			const struct series *series)
{
	long i;

	printf("{ \"kind\": \"run\", \"load\": \"%s\", \"operation\": \"%s\", ",
	       load->name, load->operation);
	print_setup(bench, rival);
	printf(", \"operations\": %ld, \"mappings\": %ld, \"seed\": %lu, \"ns\": [",
	       operations, bench->mappings, bench->seed);
	for (i = 0; i < bench->rounds; i++)
		printf("%s%lld", i ? ", " : "", series->ns[i]);
	printf("], \"place\": [");
	for (i = 0; i < bench->rounds; i++)
		printf("%s%d", i ? ", " : "", series->place[i]);
	printf("] }\n");
	return output_written();
}

static void print_number(const char *key, double number)
{
	if (number < 0)
		printf(", \"%s\": null", key);
	else
		printf(", \"%s\": %.10g", key, number);
}

static int print_why(const struct bench *bench, const struct rival *rival,
		     const struct why *why)
{
	printf("{ \"kind\": \"why\", ");
	print_setup(bench, rival);
	printf(", \"mappings\": %ld", why->mappings);
	print_number("vmas", why->vmas);
	print_number("slab_bytes", why->slab_bytes);
	print_number("page_table_bytes", why->page_table_bytes);
	print_number("rmap_locks", why->rmap_locks);
	print_number("rmap_waits", why->rmap_waits);
	print_number("rmap_hold_ns", why->rmap_hold_ns);
	printf(" }\n");
	return output_written();
}

/* The order of a round. */
static void shuffle(int *order, int n, unsigned long *state)
{
	int i, other, was;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--) {
		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		other = *state % (i + 1);
		was = order[i];
		order[i] = order[other];
		order[other] = was;
	}
}

static struct request make_request(const struct bench *bench,
				   const struct rival *rival, long operations)
{
	return (struct request) {
		.backing = &rival->backing, .fd = rival->fd,
		.each = bench->each, .operations = operations,
		.mappings = bench->mappings,
	};
}

/* A tenth first, so that the code, and what a switch patched, is warm. */
static __s64 run_once(const struct bench *bench, const struct load *load,
		      const struct rival *rival, long operations)
{
	struct request request = make_request(bench, rival,
					      (operations + 9) / 10);

	if (rival_switch(rival) || load_time(load, &request, &bench->crew) < 0)
		return -1;
	request.operations = operations;
	return load_time(load, &request, &bench->crew);
}

static int run_load(const struct bench *bench, const struct load *load,
		    const struct rival *rivals, int n, unsigned long *state)
{
	long operations = bench->operations ?: load->operations, round;
	struct series *series = calloc(n, sizeof(*series));
	int order[n], i, ret = series ? 0 : -1;

	for (round = -1; !ret && round < bench->rounds; round++) {
		shuffle(order, n, state);
		for (i = 0; !ret && i < n; i++) {
			__s64 ns = run_once(bench, load, &rivals[order[i]],
					    operations);

			ret = ns < 0 ? -1 : 0;
			if (round < 0)
				continue;
			series[order[i]].ns[round] = ns;
			series[order[i]].place[round] = i;
		}
	}
	for (i = 0; !ret && i < n; i++)
		ret = print_series(bench, load, &rivals[i], operations,
				   &series[i]);
	free(series);
	return ret;
}

static int explain(const struct bench *bench, const struct rival *rivals, int n)
{
	struct request request;
	struct why why;
	int i;

	for (i = 0; i < n; i++) {
		request = make_request(bench, &rivals[i], 0);
		if (rival_switch(&rivals[i]) ||
		    why_find(&request, &bench->crew, &why) ||
		    print_why(bench, &rivals[i], &why))
			return -1;
	}
	return 0;
}

static int run_all(const struct bench *bench, const struct rival *rivals, int n)
{
	/* Not 0, which the generator would stay at. */
	unsigned long state = bench->seed * 2 + 1;
	size_t i;

	for (i = 0; i < (bench->nr_loads ?: nr_loads); i++) {
		if (run_load(bench, bench->nr_loads ? bench->loads[i] : &loads[i],
			     rivals, n, &state))
			return -1;
	}
	return bench->why ? explain(bench, rivals, n) : 0;
}

static long whole_number(char option, const char *text, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || end == text || value < 1 || value > max) {
		fprintf(stderr, "zerobench: -%c takes a whole number from 1 to %ld, not '%s'\n",
			option, max, text);
		exit(2);
	}
	return value;
}

static void add_load(struct bench *bench, const char *name)
{
	const struct load *load = load_find(name);

	if (!load || bench->nr_loads == MAX_LOADS) {
		fprintf(stderr, "zerobench: no load is called '%s': see zerobench -h\n",
			name);
		exit(2);
	}
	bench->loads[bench->nr_loads++] = load;
}

static void add_backing(struct bench *bench, const char *name)
{
	if (bench->nr_names == MAX_RIVALS) {
		fprintf(stderr, "zerobench: %d backings at most\n", MAX_RIVALS);
		exit(2);
	}
	bench->names[bench->nr_names++] = name;
}

static void take_option(struct bench *bench, int option, const char *value)
{
	switch (option) {
	case 'T':
		bench->crew.threads = true;
		break;
	case 'e':
		bench->each = true;
		break;
	case 'u':
		bench->crew.pinned = false;
		break;
	case 'w':
		bench->why = true;
		break;
	case 'l':
		add_load(bench, value);
		break;
	case 'b':
		add_backing(bench, value);
		break;
	case 'n':
		bench->crew.tasks = whole_number('n', value, CREW_MAX_TASKS);
		break;
	case 'r':
		bench->rounds = whole_number('r', value, MAX_ROUNDS);
		break;
	case 'N':
		bench->operations = whole_number('N', value, 1L << 30);
		break;
	case 'm':
		bench->mappings = whole_number('m', value, 1L << 30);
		break;
	case 's':
		bench->seed = whole_number('s', value, 1L << 60);
		break;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {
		.cpu = cpu_model(), .crew = { .tasks = 1, .pinned = true },
		.rounds = 5, .mappings = 100, .seed = time(NULL),
	};
	struct rivals rivals;
	int option, ret;

	output_start("zerobench", 1);
	while ((option = getopt(argc, argv, "hTeuwl:b:n:r:N:m:s:")) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		take_option(&bench, option, optarg);
	}
	if (optind < argc) {
		fprintf(stderr, "zerobench: what is '%s'? See zerobench -h\n",
			argv[optind]);
		return 2;
	}
	if (rivals_open(&rivals, bench.names, bench.nr_names))
		return 1;
	ret = run_all(&bench, rivals.rivals, rivals.n);
	rivals_close(&rivals);
	return ret ? 1 : 0;
}
