// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps each backing the same way and prints side by side what the kernel makes of
 * it. Options choose other things to print, of which some need the module.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "backing.h"
#include "comparison.h"
#include "json.h"
#include "module.h"
#include "origin.h"
#include "output.h"
#include "properties.h"
#include "smaps_null.h"

#define LABEL_WIDTH	22
#define CELL_WIDTH	26

/**
 * struct arguments - what stands on the command line beside the mode
 * @pid: the process ID that a mode takes
 * @null_by: how to count zero pages, or NULL
 * @json: print JSON, not a table
 * @devices: the backings to compare
 * @nr_devices: how many there are; 0 means all
 */
struct arguments {
	const char *pid;
	const char *null_by;
	bool json;
	char **devices;
	size_t nr_devices;
};

static const char usage[] =
"usage: zerocmp [-h] [--json] [DEVICE...]\n"
"       zerocmp --designs\n"
"       zerocmp --maps PID\n"
"       zerocmp --count\n"
"       zerocmp --pid PID [--null-by scan|pagemap]\n"
"\n"
"Maps each DEVICE privately, the same way, and prints side by side what the\n"
"kernel makes of it. DEVICE is a path or MAP_ANONYMOUS. Without DEVICE it takes\n"
"MAP_ANONYMOUS, and of /dev/zero, /dev/anonzero and the nodes of the designs,\n"
"/dev/anonzero-DESIGN, all that are there. What the running kernel does not tell\n"
"is n/a, with the reason.\n"
"\n"
"--designs tries out each mapping design and prints a table of what it found. It\n"
"needs root, and the module loaded with variants=1.\n"
"\n"
"--maps prints /proc/PID/maps, in which the mappings that the module has marked\n"
"(origin=1) are called /dev/anonzero. --count prints for each process with marked\n"
"mappings how many it has, their size in KiB, and how much of that is in memory.\n"
"Both need root.\n"
"\n"
"--pid prints /proc/PID/smaps with a field Null for each mapping: how many kB of it\n"
"are the shared zero page, small or huge. The last line is their sum. It counts by\n"
"PAGEMAP_SCAN where the kernel has that (since 6.7), for which reading smaps must\n"
"be allowed, and else by pagemap and kpageflags, for which it must be root.\n"
"--null-by chooses one of the two.\n";

static int print_usage(const struct arguments *args)
{
	fputs(usage, stdout);
	return 0;
}

/*
 * Prints the next piece of *text that fits the width, broken at a blank if it can
 * be, and moves *text behind it. A line must not end in blanks: so the blanks that
 * fill up a piece are owed, and are printed before the next piece of the line.
 *
 * Return: how many blanks are owed now.
 */
static int print_piece(const char **text, int width, int owed)
{
	int len = strlen(*text), cut = len;

	if (!len)
		return owed + width;
	if (len > width) {
		for (cut = width; cut > 0 && (*text)[cut] != ' '; cut--)
			;
		if (!cut)
			cut = width;
	}
	printf("%*s%.*s", owed, "", cut, *text);
	*text += cut;
	*text += strspn(*text, " ");
	return width - cut;
}

/* Prints one row, over as many lines as its longest cell takes. */
static void print_row(const char *label, const char **texts, size_t n)
{
	bool more = true;
	size_t i;
	int owed;

	while (more) {
		more = false;
		owed = print_piece(&label, LABEL_WIDTH, 0);
		for (i = 0; i < n; i++) {
			owed = print_piece(&texts[i], CELL_WIDTH, owed + 2);
			more |= *texts[i];
		}
		putchar('\n');
	}
}

static void print_table(const struct column *columns, size_t n)
{
	char cells[n][sizeof(columns->cells[0].text) + 8];
	const char *texts[n];
	size_t i, r;

	for (i = 0; i < n; i++)
		texts[i] = columns[i].backing.name;
	print_row("", texts, n);
	for (r = 0; r < NR_COMPARISON_ROWS; r++) {
		for (i = 0; i < n; i++) {
			const struct cell *cell = &columns[i].cells[r];

			snprintf(cells[i], sizeof(cells[i]),
				 cell->kind == NONE ? "n/a (%s)" : "%s",
				 cell->text);
			texts[i] = cells[i];
		}
		print_row(comparison_rows[r].label, texts, n);
	}
}

static void print_json_cell(const struct cell *cell)
{
	if (cell->kind == NUMBER) {
		printf("%s", cell->text);
	} else if (cell->kind == NONE) {
		printf("{ \"n/a\": ");
		json_string(cell->text);
		printf(" }");
	} else {
		json_string(cell->text);
	}
}

static void print_json(const struct column *columns, size_t n)
{
	struct utsname uts;
	size_t i, r;

	uname(&uts);
	printf("{\n  \"kernel\": ");
	json_string(uts.release);
	printf(",\n  \"backings\": [");
	for (i = 0; i < n; i++) {
		printf("%s\n    {\n      \"backing\": ", i ? "," : "");
		json_string(columns[i].backing.name);
		for (r = 0; r < NR_COMPARISON_ROWS; r++) {
			printf(",\n      \"%s\": ", comparison_rows[r].key);
			print_json_cell(&columns[i].cells[r]);
		}
		printf("\n    }");
	}
	printf("\n  ]\n}\n");
}

/*
 * Fills in the columns and returns how many there are. A backing that was asked
 * for by name must be there; the others need not.
 */
static size_t fill_columns(struct column *columns, char **names, size_t n_names)
{
	size_t n = n_names ? n_names : nr_backings, filled = 0, i;
	char *area = free_range(column_area_size());

	if (!area) {
		perror("zerocmp: mmap");
		exit(1);
	}
	for (i = 0; i < n; i++) {
		struct column *column = &columns[filled];

		if (!n_names)
			column->backing = *backings[i];
		else if (!strcmp(names[i], backing_anonymous.name))
			column->backing = backing_anonymous;
		else
			column->backing = (struct backing) {
				.name = names[i], .path = names[i],
			};
		if (!fill_column(column, area)) {
			filled++;
		} else if (n_names || errno != ENOENT) {
			fprintf(stderr, "zerocmp: cannot map %s: %s\n",
				column->backing.name, strerror(errno));
			exit(1);
		}
	}
	return filled;
}

static int print_comparison(const struct arguments *args)
{
	struct column *columns;
	size_t n;

	columns = calloc(nr_backings + args->nr_devices, sizeof(*columns));
	if (!columns) {
		perror("zerocmp");
		return 1;
	}
	n = fill_columns(columns, args->devices, args->nr_devices);
	if (args->json)
		print_json(columns, n);
	else
		print_table(columns, n);
	free(columns);
	return 0;
}

/* Whether core mm lets no driver make such mappings, so that they have no node. */
static bool is_refused_by_core(const struct backing *backing)
{
	return (backing == &backing_hybrid || backing == &backing_sharded) &&
	       core_makes_zero_anonymous();
}

/* Prints the row of one design. */
static int print_design(const struct backing *backing)
{
	struct row row;
	size_t p;

	if (is_refused_by_core(backing))
		return 0;
	if (properties_find(backing, &row)) {
		fprintf(stderr, "zerocmp: cannot map %s: %s: load the module with variants=1\n",
			backing->name, strerror(errno));
		return 1;
	}
	printf("| %s |", row.label);
	for (p = 0; p < NR_PROPERTIES; p++)
		printf(" %s |", row.cells[p]);
	putchar('\n');
	return 0;
}

static int print_designs(const struct arguments *args)
{
	size_t i, p;
	int ret;

	printf("| design |");
	for (p = 0; p < NR_PROPERTIES; p++)
		printf(" %s |", properties_head[p]);
	putchar('\n');
	for (p = 0; p <= NR_PROPERTIES; p++)
		printf("|---");
	printf("|\n");
	/* First what the others are compared with. */
	ret = print_design(&backing_anonymous) ?: print_design(&backing_hybrid);
	for (i = 0; !ret && i < nr_backings; i++) {
		if (backings[i]->design && backings[i] != &backing_hybrid)
			ret = print_design(backings[i]);
	}
	return ret;
}

/* Returns the process ID in an argument, or 0 after saying what is wrong. */
static pid_t parse_pid(const char *option, const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	if (!*end && end != text && pid > 0 && pid <= INT_MAX)
		return pid;
	fprintf(stderr, "zerocmp: --%s takes a process ID, not '%s'\n", option,
		text);
	return 0;
}

static int print_maps(const struct arguments *args)
{
	pid_t pid = parse_pid("maps", args->pid);

	if (!pid)
		return 2;
	if (!origin_print_maps(pid))
		return 0;
	fprintf(stderr,
		"zerocmp: cannot read %s or maps of %d: %s: be root, and load the module\n",
		ORIGIN_LIST, pid, strerror(errno));
	return 1;
}

static int print_count(const struct arguments *args)
{
	if (!origin_print_count())
		return 0;
	fprintf(stderr, "zerocmp: cannot read %s: %s: be root, and load the module\n",
		ORIGIN_LIST, strerror(errno));
	return 1;
}

/* Says in words why smaps_null_print() has failed. */
static const char *smaps_null_error(int error)
{
	switch (error) {
	case ENOENT:
		return "there is no such process";
	case ESRCH:
		return "it has ended, runs another program now, or is a kernel thread";
	case EACCES:
	case EPERM:
		return "not allowed: be root, with CAP_SYS_ADMIN";
	case ENOTTY:
		return "this kernel has no PAGEMAP_SCAN: leave --null-by out";
	case EOPNOTSUPP:
		return "this kernel lacks CONFIG_PROC_PAGE_MONITOR";
	default:
		return strerror(error);
	}
}

static int print_smaps_null(const struct arguments *args)
{
	enum zeropage_by by = ZEROPAGE_BY_ANY;
	pid_t pid = parse_pid("pid", args->pid);
	const char *how = args->null_by;

	if (!pid)
		return 2;
	if (how && !strcmp(how, "scan")) {
		by = ZEROPAGE_BY_SCAN;
	} else if (how && !strcmp(how, "pagemap")) {
		by = ZEROPAGE_BY_PAGEMAP;
	} else if (how) {
		fprintf(stderr, "zerocmp: --null-by takes scan or pagemap, not '%s'\n",
			how);
		return 2;
	}
	if (!smaps_null_print(pid, by))
		return 0;
	fprintf(stderr, "zerocmp: cannot read the pages of process %d: %s\n", pid,
		smaps_null_error(errno));
	return 1;
}

enum { COMPARISON, DESIGNS, MAPS, COUNT, PID, USAGE, NR_MODES };

/* What zerocmp can do. Without an option for another mode it compares. */
static int (*const modes[NR_MODES])(const struct arguments *args) = {
	[COMPARISON] = print_comparison,
	[DESIGNS] = print_designs,
	[MAPS] = print_maps,
	[COUNT] = print_count,
	[PID] = print_smaps_null,
	[USAGE] = print_usage,
};

/* The value of an option that chooses a mode is that mode. */
static const struct option options[] = {
	{ "designs", no_argument, NULL, DESIGNS },
	{ "maps", required_argument, NULL, MAPS },
	{ "count", no_argument, NULL, COUNT },
	{ "pid", required_argument, NULL, PID },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },
	{ "null-by", required_argument, NULL, 'n' },
	{ }
};

static int bad_call(const char *what)
{
	fprintf(stderr, "zerocmp: %s: see zerocmp -h\n", what);
	return -1;
}

/* Returns the mode, or -1 after saying what is wrong. */
static int parse(int argc, char **argv, struct arguments *args)
{
	int option, mode = COMPARISON;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return USAGE;
		case 'j':
			args->json = true;
			break;
		case 'n':
			args->null_by = optarg;
			break;
		case '?':
			return -1;
		default:
			if (mode != COMPARISON)
				return bad_call("takes one of --designs, --maps, --count, --pid");
			mode = option;
			args->pid = optarg;
		}
	}
	if (args->null_by && mode != PID)
		return bad_call("--null-by goes with --pid PID");
	args->devices = argv + optind;
	args->nr_devices = argc - optind;
	return mode;
}

int main(int argc, char **argv)
{
	struct arguments args = { };
	int mode;

	output_start("zerocmp", 1);
	mode = parse(argc, argv, &args);
	return mode < 0 ? 2 : modes[mode](&args);
}
