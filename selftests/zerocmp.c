// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps each backing the same way and prints side by side what the kernel makes
 * of it. Uses nothing of the module: runs on any machine.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "array_size.h"
#include "json.h"
#include "null.h"
#include "origin.h"
#include "output.h"
#include "properties.h"
#include "questions.h"

#define LABEL_WIDTH	22
#define CELL_WIDTH	26

static const struct backing *const known[] = {
	&backing_anonymous, &backing_zero, &backing_anonzero, &backing_anon,
	&backing_hybrid, &backing_sharded, &backing_fault,
};

#define NR_KNOWN ARRAY_SIZE(known)

static const char usage[] =
"usage: zerocmp [-h] [--json] [DEVICE...]\n"
"       zerocmp --designs\n"
"       zerocmp --maps PID\n"
"       zerocmp --count\n"
"       zerocmp --pid PID [--null-by scan|pagemap]\n"
"\n"
"Maps each DEVICE privately, the same way, and prints side by side what the\n"
"kernel makes of it. DEVICE is a path or MAP_ANONYMOUS; without one,\n"
"MAP_ANONYMOUS, /dev/zero, /dev/anonzero, and those of /dev/anonzero-anon,\n"
"-hybrid, -sharded and -fault that are there.\n"
"\n"
"What the running kernel cannot answer is n/a, with the reason.\n"
"\n"
"--designs tries out the mapping designs that have a node and prints a row of\n"
"README.md's table for each. It needs root and the module.\n"
"\n"
"--maps prints /proc/PID/maps with the mappings that the module has marked\n"
"(origin=1) called /dev/anonzero; --count prints for each process that has some\n"
"how many, their KiB, and the KiB of them in memory. Both need root.\n"
"\n"
"--pid prints /proc/PID/smaps with a field Null in each mapping, the kB of it\n"
"that are the shared zero page, small or huge, and their sum at the end. It\n"
"counts by PAGEMAP_SCAN where the kernel has that (6.7), which takes what reading\n"
"smaps takes, else by pagemap and kpageflags, which takes root; --null-by chooses.\n";

/*
 * Prints blanks for what is owed, and the next piece of *text that fits the
 * width, breaking at a blank where there is one. Moves *text behind the piece.
 *
 * Return: the blanks that are owed to what comes next in the line.
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

/* One row, over as many lines as its longest answer takes. */
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
	char answers[n][sizeof(columns->cells[0].text) + 8];
	const char *texts[n];
	size_t i, q;

	for (i = 0; i < n; i++)
		texts[i] = columns[i].backing.name;
	print_row("", texts, n);
	for (q = 0; q < NR_QUESTIONS; q++) {
		for (i = 0; i < n; i++) {
			const struct cell *cell = &columns[i].cells[q];

			snprintf(answers[i], sizeof(answers[i]),
				 cell->kind == NONE ? "n/a (%s)" : "%s",
				 cell->text);
			texts[i] = answers[i];
		}
		print_row(questions[q].label, texts, n);
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
	size_t i, q;

	uname(&uts);
	printf("{\n  \"kernel\": ");
	json_string(uts.release);
	printf(",\n  \"backings\": [");
	for (i = 0; i < n; i++) {
		printf("%s\n    {\n      \"backing\": ", i ? "," : "");
		json_string(columns[i].backing.name);
		for (q = 0; q < NR_QUESTIONS; q++) {
			printf(",\n      \"%s\": ", questions[q].key);
			print_json_cell(&columns[i].cells[q]);
		}
		printf("\n    }");
	}
	printf("\n  ]\n}\n");
}

/* Fills columns; what is asked for by name must be there, the rest need not. */
static size_t ask_backings(struct column *columns, char **names, size_t n_names)
{
	size_t n = n_names ? n_names : NR_KNOWN, filled = 0, i;
	char *area = free_range(area_size());

	if (!area) {
		perror("zerocmp: mmap");
		exit(1);
	}
	for (i = 0; i < n; i++) {
		struct column *column = &columns[filled];

		if (!n_names)
			column->backing = *known[i];
		else if (!strcmp(names[i], backing_anonymous.name))
			column->backing = backing_anonymous;
		else
			column->backing = (struct backing) {
				.name = names[i], .path = names[i],
			};
		if (!ask_all(column, area)) {
			filled++;
		} else if (n_names || errno != ENOENT) {
			fprintf(stderr, "zerocmp: cannot map %s: %s\n",
				column->backing.name, strerror(errno));
			exit(1);
		}
	}
	return filled;
}

static int print_designs(void)
{
	static const struct backing *const designs[] = {
		&backing_anonymous, &backing_hybrid, &backing_anon,
		&backing_sharded, &backing_fault,
	};
	struct row row;
	size_t i, p;

	printf("| design |");
	for (p = 0; p < NR_PROPERTIES; p++)
		printf(" %s |", properties_head[p]);
	putchar('\n');
	for (p = 0; p <= NR_PROPERTIES; p++)
		printf("|---");
	printf("|\n");
	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		if (properties_find(designs[i], &row)) {
			fprintf(stderr, "zerocmp: %s: %s: load the module with variants=1\n",
				designs[i]->name, strerror(errno));
			return 1;
		}
		printf("| %s |", row.label);
		for (p = 0; p < NR_PROPERTIES; p++)
			printf(" %s |", row.cells[p]);
		putchar('\n');
	}
	return 0;
}

/* The process ID in an option's argument, or 0 with a word on it. */
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

static int print_maps(const char *text)
{
	pid_t pid = parse_pid("maps", text);

	if (!pid)
		return 2;
	if (!origin_print_maps(pid))
		return 0;
	fprintf(stderr, "zerocmp: %s or maps of %d: %s: be root, load the module\n",
		ORIGIN_LIST, pid, strerror(errno));
	return 1;
}

static int print_count(void)
{
	if (!origin_print_count())
		return 0;
	fprintf(stderr, "zerocmp: %s: %s: be root, load the module\n",
		ORIGIN_LIST, strerror(errno));
	return 1;
}

/* What to say where null_print_smaps() cannot. */
static const char *why_no_null(int error)
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

static int print_null(const char *text, const char *how)
{
	enum zeropage_by by = ZEROPAGE_BY_ANY;
	pid_t pid = parse_pid("pid", text);

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
	if (!null_print_smaps(pid, by))
		return 0;
	fprintf(stderr, "zerocmp: cannot read the pages of process %d: %s\n", pid,
		why_no_null(errno));
	return 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "designs", no_argument, NULL, 'd' },
		{ "maps", required_argument, NULL, 'm' },
		{ "count", no_argument, NULL, 'c' },
		{ "pid", required_argument, NULL, 'p' },
		{ "null-by", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *pid = NULL, *null_by = NULL;
	struct column *columns;
	bool json = false;
	int option;
	size_t n;

	output_start("zerocmp", 1);
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (option == 'd')
			return print_designs();
		if (option == 'm')
			return print_maps(optarg);
		if (option == 'c')
			return print_count();
		if (option == 'p')
			pid = optarg;
		else if (option == 'n')
			null_by = optarg;
		else if (option == 'j')
			json = true;
		else
			return 2;
	}
	if (pid)
		return print_null(pid, null_by);
	if (null_by) {
		fputs("zerocmp: --null-by goes with --pid PID\n", stderr);
		return 2;
	}
	columns = calloc(NR_KNOWN + argc, sizeof(*columns));
	if (!columns) {
		perror("zerocmp");
		return 1;
	}
	n = ask_backings(columns, argv + optind, argc - optind);
	if (json)
		print_json(columns, n);
	else
		print_table(columns, n);
	free(columns);
	return 0;
}
