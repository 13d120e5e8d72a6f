// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times what a mapping costs, on several backings in turn, and counts what
 * explains the times. Prints a line of JSON for each load and backing, with every
 * single measurement, so that all results can be computed again from it.
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
#include "candidates.h"
#include "costs.h"

#define MAX_ROUNDS	1000
#define MAX_LOADS	32

static const char usage[] =
"usage: zerobench [-hTeuw] [-l LOAD]... [-b BACKING]... [-n TASKS]\n"
"                 [-r ROUNDS] [-N OPERATIONS] [-m MAPPINGS] [-s SEED]\n"
"\n"
"Times each LOAD on each BACKING and prints a line of JSON for each pair.\n"
"BACKING is MAP_ANONYMOUS or a device. With +merge or +adopt behind it, that\n"
"parameter of the module is on while the backing is measured, which takes root.\n"
"Without -b all backings that are there are measured. A backing that is given\n"
"twice is compared with itself. Each round runs all backings in random order. A\n"
"first round does not count, nor does the warm-up run before each run, which does\n"
"a tenth of its operations.\n"
"\n"
"-l LOAD        what to time (all loads): small-allocs (map 40 KiB read-only, read\n"
"               all of it, unmap nothing), map, unmap, map-unmap, fault-read,\n"
"               fault-write, fork, split (mprotect the middle, and back), teardown\n"
"               (exit)\n"
"-b BACKING     what to map (all backings)\n"
"-n TASKS       how many tasks run at once (1)\n"
"-T             tasks are threads of one process, not processes\n"
"-e             each task opens the device for itself\n"
"-u             tasks are not pinned to CPUs\n"
"-r ROUNDS      how many rounds count (5)\n"
"-N OPERATIONS  how many each task does in a round (each load has its default)\n"
"-m MAPPINGS    how many mappings each task of the load fork has (100)\n"
"-s SEED        where the random order starts (the time)\n"
"-w             also print what explains the times: for each backing the VMAs, bytes\n"
"               of slab memory and of page tables, and rmap locks that a mapping\n"
"               takes, as far as the kernel lets them be counted\n";

/**
 * struct bench - what is to be measured, and how
 * @cpu: model of the CPU
 * @group: the tasks that run the loads
 * @each: each task opens a descriptor of its own
 * @costs: print the costs of a mapping, too
 * @rounds: how many rounds count
 * @operations: how many each task does in a round, or 0 for the load's default
 * @mappings: how many mappings a task of the load "fork" has
 * @seed: seed of the random order
 * @loads: the loads that were asked for
 * @nr_loads: how many were asked for; 0 means all
 * @names: the backings that were asked for
 * @nr_names: how many were asked for; 0 means all
 */
struct bench {
	const char *cpu;
	struct task_group group;
	bool each;
	bool costs;
	long rounds;
	long operations;
	long mappings;
	unsigned long seed;
	const struct load *loads[MAX_LOADS];
	size_t nr_loads;
	const char *names[MAX_CANDIDATES];
	size_t nr_names;
};

/**
 * struct series - what was measured of one backing
 * @ns: nanoseconds that each round took
 * @place: the backing's place in the order of each round, from 0
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

/* Prints what every line has: the backing, the kernel, the CPUs and the tasks. */
static void print_setup(const struct bench *bench,
			const struct candidate *candidate)
{
	struct utsname uts;

	uname(&uts);
	printf("\"backing\": ");
	json_string(candidate->name);
	printf(", \"kernel\": ");
	json_string(uts.release);
	printf(", \"cpu\": ");
	json_string(bench->cpu);
	printf(", \"cpus\": %ld, \"tasks\": %d", sysconf(_SC_NPROCESSORS_ONLN),
	       bench->group.tasks);
	printf(", \"threads\": %s, \"pinned\": %s, \"descriptors\": \"%s\"",
	       bench->group.threads ? "true" : "false",
	       bench->group.pinned ? "true" : "false",
	       bench->each ? "each" : "shared");
}

static int print_series(const struct bench *bench, const struct load *load,
			const struct candidate *candidate, long operations,
			const struct series *series)
{
	long i;

	printf("{ \"kind\": \"run\", \"load\": \"%s\", \"operation\": \"%s\", ",
	       load->name, load->operation);
	print_setup(bench, candidate);
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

static int print_costs(const struct bench *bench,
		       const struct candidate *candidate,
		       const struct costs *costs)
{
	printf("{ \"kind\": \"why\", ");
	print_setup(bench, candidate);
	printf(", \"mappings\": %ld", costs->mappings);
	print_number("vmas", costs->vmas);
	print_number("slab_bytes", costs->slab_bytes);
	print_number("page_table_bytes", costs->page_table_bytes);
	print_number("rmap_locks", costs->rmap_locks);
	print_number("rmap_waits", costs->rmap_waits);
	print_number("rmap_hold_ns", costs->rmap_hold_ns);
	printf(" }\n");
	return output_written();
}

/* Puts the numbers below n into a random order. */
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

static struct load_args make_args(const struct bench *bench,
				  const struct candidate *candidate,
				  long operations)
{
	return (struct load_args) {
		.backing = &candidate->backing, .fd = candidate->fd,
		.each = bench->each, .operations = operations,
		.mappings = bench->mappings,
	};
}

/* Does a tenth first, which warms up the code, also where a switch patched it. */
static __s64 run_once(const struct bench *bench, const struct load *load,
		      const struct candidate *candidate, long operations)
{
	struct load_args args = make_args(bench, candidate,
					  (operations + 9) / 10);

	if (candidate_switch(candidate) ||
	    load_time(load, &args, &bench->group) < 0)
		return -1;
	args.operations = operations;
	return load_time(load, &args, &bench->group);
}

static int run_load(const struct bench *bench, const struct load *load,
		    const struct candidate *candidates, int n, unsigned long *state)
{
	long operations = bench->operations ?: load->operations, round;
	struct series *series = calloc(n, sizeof(*series));
	int order[n], i, ret = series ? 0 : -1;

	for (round = -1; !ret && round < bench->rounds; round++) {
		shuffle(order, n, state);
		for (i = 0; !ret && i < n; i++) {
			__s64 ns = run_once(bench, load, &candidates[order[i]],
					    operations);

			ret = ns < 0 ? -1 : 0;
			if (round < 0)
				continue;
			series[order[i]].ns[round] = ns;
			series[order[i]].place[round] = i;
		}
	}
	for (i = 0; !ret && i < n; i++)
		ret = print_series(bench, load, &candidates[i], operations,
				   &series[i]);
	free(series);
	return ret;
}

static int print_all_costs(const struct bench *bench,
			   const struct candidate *candidates, int n)
{
	struct load_args args;
	struct costs costs;
	int i;

	for (i = 0; i < n; i++) {
		args = make_args(bench, &candidates[i], 0);
		if (candidate_switch(&candidates[i]) ||
		    costs_find(&args, &bench->group, &costs) ||
		    print_costs(bench, &candidates[i], &costs))
			return -1;
	}
	return 0;
}

static int run_all(const struct bench *bench,
		   const struct candidate *candidates, int n)
{
	/* An odd state: at 0 the generator would stay. */
	unsigned long state = bench->seed * 2 + 1;
	size_t i;

	for (i = 0; i < (bench->nr_loads ?: nr_loads); i++) {
		if (run_load(bench, bench->nr_loads ? bench->loads[i] : &loads[i],
			     candidates, n, &state))
			return -1;
	}
	return bench->costs ? print_all_costs(bench, candidates, n) : 0;
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
	if (bench->nr_names == MAX_CANDIDATES) {
		fprintf(stderr, "zerobench: takes %d backings at most\n",
			MAX_CANDIDATES);
		exit(2);
	}
	bench->names[bench->nr_names++] = name;
}

static void take_option(struct bench *bench, int option, const char *value)
{
	switch (option) {
	case 'T':
		bench->group.threads = true;
		break;
	case 'e':
		bench->each = true;
		break;
	case 'u':
		bench->group.pinned = false;
		break;
	case 'w':
		bench->costs = true;
		break;
	case 'l':
		add_load(bench, value);
		break;
	case 'b':
		add_backing(bench, value);
		break;
	case 'n':
		bench->group.tasks = whole_number('n', value, TASK_GROUP_MAX);
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
		.cpu = cpu_model(), .group = { .tasks = 1, .pinned = true },
		.rounds = 5, .mappings = 100, .seed = time(NULL),
	};
	struct candidates candidates;
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
		fprintf(stderr, "zerobench: unknown argument '%s': see zerobench -h\n",
			argv[optind]);
		return 2;
	}
	if (candidates_open(&candidates, bench.names, bench.nr_names))
		return 1;
	ret = run_all(&bench, candidates.list, candidates.n);
	candidates_close(&candidates);
	return ret ? 1 : 0;
}
