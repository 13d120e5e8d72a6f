// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes random calls on a device's memory and, with the same arguments, on
 * anonymous memory or another device's. Results and contents must agree at every
 * step. Several processes, each of several threads, do so at once. Each thread has
 * memory of its own, and what it does depends on the seed alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "stress.h"

#define PROCESSES	2
#define THREADS		2

/* What a process exits with that could not write its output. */
#define UNWRITTEN	3

static const char usage[] =
"usage: stress [-h] [-t SECONDS] [-s SEED] [-n STEPS] [-w WORKER] [-d DEVICE]\n"
"              [-r REFERENCE]\n"
"\n"
"Makes random calls on DEVICE's memory and the same calls on other memory, and\n"
"compares results and contents at every step.\n"
"\n"
"  -t SECONDS    how long to run (default 10)\n"
"  -s SEED       the same number makes the same calls (default: the clock)\n"
"  -n STEPS      how many steps each worker does at most\n"
"  -w WORKER     run only this worker, and print each of its steps\n"
"  -d DEVICE     the device (default /dev/anonzero)\n"
"  -r REFERENCE  the device to compare it with (default: anonymous memory)\n"
"\n"
"Exits with status 0 where the two agreed at every step. Where they did not, it\n"
"prints the seed, the step and both results, and exits with status 1.\n";

static struct {
	int seconds;
	unsigned long seed;
	unsigned long steps;
	int worker;
	const char *device;
	const char *reference;
} options = {
	.seconds = 10, .steps = -1UL, .worker = -1, .device = "/dev/anonzero",
};

static time_t deadline;

/* Keeps a thread's stack from being put where another thread has just unmapped. */
static pthread_barrier_t all_started;

/* This is xorshift, which gives the same numbers on every machine. */
static unsigned long random_below(struct worker *w, unsigned long n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (w->random >> 11) % n;
}

static void start_worker(struct worker *w, int id)
{
	*w = (struct worker) {
		.id = id,
		.random = options.seed * 2654435761UL + id * 40503UL + 1,
		.page = getpagesize(),
		.device = options.device,
		.reference = options.reference,
		.wide = id & 1,
	};
	stress_open(w);
}

/* Chooses an action and its arguments, which are the same for both arenas. */
static struct step random_step(struct worker *w)
{
	struct step step = { .what = random_below(w, NR_ACTIONS) };
	unsigned long max = random_below(w, 16) ? 16 : ARENA_PAGES / 2;

	step.pages = 1 + random_below(w, max);
	step.at = random_below(w, ARENA_PAGES - step.pages + 1);
	step.to = random_below(w, ARENA_PAGES - step.pages + 1);
	step.number = random_below(w, 1UL << 30);
	return step;
}

static void say_step(const struct worker *w, const struct step *step)
{
	printf("worker %d step %lu: %s pages %lu+%lu, to %lu, number %lu\n", w->id,
	       w->steps, actions[step->what].name, step->at, step->pages, step->to,
	       step->number);
}

static bool disagree(const struct worker *w, const struct step *step,
		     const char *what, long device, long reference)
{
	say_step(w, step);
	printf("  %s: %s %ld, %s %ld\n", what, w->device, device,
	       w->reference ?: "anonymous memory", reference);
	printf("  again: stress -d %s%s%s -s %lu -w %d -n %lu\n", w->device,
	       w->reference ? " -r " : "", w->reference ?: "", options.seed,
	       w->id, w->steps + 1);
	fflush(stdout);
	return false;
}

/* Does the step in both arenas, and returns whether they still agree. */
static bool do_step(struct worker *w, const struct step *step)
{
	const struct action *action = &actions[step->what];
	bool all = w->steps % 256 == 255;
	long device, reference, page;

	if (action->fits && !(action->fits(w, &w->arenas[DEVICE], step) &&
			      action->fits(w, &w->arenas[REFERENCE], step)))
		return true;
	reference = action->act(w, &w->arenas[REFERENCE], step);
	device = action->act(w, &w->arenas[DEVICE], step);
	if (device != reference)
		return disagree(w, step, "result", device, reference);
	page = all ? stress_compare(w, 0, ARENA_PAGES) :
	       stress_compare(w, step->at, step->pages);
	if (page < 0 && !all)
		page = stress_compare(w, step->to, step->pages);
	if (page >= 0)
		return disagree(w, step, "contents of page", page, page);
	return true;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct step step;

	pthread_barrier_wait(&all_started);
	while (w->steps < options.steps && time(NULL) < deadline) {
		step = random_step(w);
		if (options.worker >= 0)
			say_step(w, &step);
		if (!do_step(w, &step))
			return w;
		w->steps++;
	}
	return NULL;
}

/* Runs the threads of one process, and returns the status to exit with. */
static int work_in_threads(int first)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	unsigned long steps = 0;
	void *failed;
	int i, status = 0;

	pthread_barrier_init(&all_started, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		start_worker(&workers[i], first + i);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, work, &workers[i])) {
			fprintf(stderr, "stress: cannot make a thread\n");
			return 2;
		}
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		status |= !!failed;
		steps += workers[i].steps;
	}
	printf("seed %lu: workers %d to %d: %lu steps\n", options.seed, first,
	       first + THREADS - 1, steps);
	return status;
}

static int work_in_processes(void)
{
	int i, one, status = 0;

	for (i = 0; i < PROCESSES; i++) {
		fflush(stdout);
		if (!fork()) {
			status = work_in_threads(i * THREADS);
			_exit(output_written() ? UNWRITTEN : status);
		}
	}
	while (wait(&one) > 0) {
		if (WIFEXITED(one) && WEXITSTATUS(one) == UNWRITTEN)
			output_lost();
		status |= WIFEXITED(one) ? WEXITSTATUS(one) : 1;
	}
	return status;
}

static int work_alone(int id)
{
	struct worker worker;

	pthread_barrier_init(&all_started, NULL, 1);
	start_worker(&worker, id);
	return work(&worker) ? 1 : 0;
}

static unsigned long parse_number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text) {
		fprintf(stderr, "stress: takes a number, not '%s': see stress -h\n", text);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	int option;

	options.seed = time(NULL);
	while ((option = getopt(argc, argv, "ht:s:n:w:d:r:")) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 't':
			options.seconds = parse_number(optarg);
			break;
		case 's':
			options.seed = parse_number(optarg);
			break;
		case 'n':
			options.steps = parse_number(optarg);
			break;
		case 'w':
			options.worker = parse_number(optarg);
			break;
		case 'd':
			options.device = optarg;
			break;
		case 'r':
			options.reference = optarg;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	output_start("stress", 2);
	parse(argc, argv);
	if (access(options.device, R_OK | W_OK)) {
		fprintf(stderr, "stress: %s: %s: insmod anonzero.ko, or name a device with -d\n",
			options.device, strerror(errno));
		return 2;
	}
	deadline = time(NULL) + options.seconds;
	return options.worker < 0 ? work_in_processes() :
	       work_alone(options.worker);
}
