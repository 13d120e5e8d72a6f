// SPDX-License-Identifier: GPL-2.0-only
#include "task_group.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"

/**
 * struct board - what the tasks of a crew share
 * @ready: all tasks have prepared
 * @start: of each task, in nanoseconds
 * @end: the same
 */
struct board {
	pthread_barrier_t ready;
	__s64 start[CREW_MAX_TASKS];
	__s64 end[CREW_MAX_TASKS];
};

/**
 * struct task - one of a crew
 * @crew: whose
 * @job: what it does
 * @board: where it notes its times
 * @number: from 0
 */
struct task {
	const struct crew *crew;
	const struct job *job;
	struct board *board;
	int number;
};

static __s64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* To a CPU that the caller may use, in turn. */
static void pin(int number)
{
	cpu_set_t allowed;
	int cpu, skip;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	skip = number % CPU_COUNT(&allowed);
	for (cpu = 0; skip || !CPU_ISSET(cpu, &allowed); cpu++)
		skip -= CPU_ISSET(cpu, &allowed);
	pin_to_cpu(cpu);
}

void crew_complain(const char *what)
{
	fprintf(stderr, "zerobench: %s: %s%s\n", what, strerror(errno),
		errno == ENOMEM ?
		": ask for fewer operations (-N), or raise vm.max_map_count" :
		"");
}

/* A task that fails ends its process; that of the others ends the crew. */
static void *task_main(void *arg)
{
	struct task *task = arg;
	struct board *board = task->board;
	void *prepared;

	if (task->crew->pinned)
		pin(task->number);
	prepared = task->job->prepare(task->job->data);
	if (!prepared)
		_exit(1);
	pthread_barrier_wait(&board->ready);
	board->start[task->number] = now();
	if (task->job->run(prepared)) {
		crew_complain("a task failed");
		_exit(1);
	}
	board->end[task->number] = now();
	return NULL;
}

static void run_threads(struct task *tasks, int n)
{
	pthread_t threads[CREW_MAX_TASKS];
	int i;

	for (i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], NULL, task_main, &tasks[i]);
		if (errno) {
			crew_complain("cannot make a thread");
			_exit(1);
		}
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Makes a process that does the tasks given, and exits. */
static pid_t start_process(struct task *tasks, int n)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* A profile tells it from its parent, which maps other things. */
	prctl(PR_SET_NAME, "zerobench-task");
	if (n == 1)
		task_main(tasks);
	else
		run_threads(tasks, n);
	_exit(0);
}

/* Reaps all; the first that failed takes the others with it. */
static int reap(const pid_t *pids, int n)
{
	int left, status, i, ret = 0;

	for (left = n; left; left--) {
		if (wait(&status) < 0)
			return -1;
		if (!status || ret)
			continue;
		if (WIFSIGNALED(status))
			fprintf(stderr, "zerobench: a task was killed: %s\n",
				strsignal(WTERMSIG(status)));
		ret = -1;
		for (i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
	}
	return ret;
}

static struct board *make_board(int tasks)
{
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;

	if (board == MAP_FAILED)
		return NULL;
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&board->ready, &shared, tasks);
	return board;
}

static __s64 elapsed(const struct board *board, int tasks, __s64 reaped)
{
	__s64 start = board->start[0], end = reaped;
	int i;

	for (i = 0; i < tasks; i++) {
		if (board->start[i] < start)
			start = board->start[i];
		if (!reaped && board->end[i] > end)
			end = board->end[i];
	}
	return end - start;
}

__s64 crew_time(const struct crew *crew, const struct job *job)
{
	int per_process = crew->threads ? crew->tasks : 1;
	int n = crew->tasks / per_process, i;
	struct task tasks[CREW_MAX_TASKS];
	pid_t pids[CREW_MAX_TASKS];
	struct board *board = make_board(crew->tasks);
	__s64 ret = -1;

	if (!board) {
		crew_complain("cannot prepare");
		return -1;
	}
	for (i = 0; i < crew->tasks; i++)
		tasks[i] = (struct task) { crew, job, board, i };
	for (i = 0; i < n; i++) {
		pids[i] = start_process(&tasks[i * per_process], per_process);
		if (pids[i] < 0) {
			crew_complain("cannot make a process");
			break;
		}
	}
	/* Those that wait for one that never was are not waited for. */
	if (i < n)
		while (i--)
			kill(pids[i], SIGKILL);
	else if (!reap(pids, n))
		ret = elapsed(board, crew->tasks, job->exits ? now() : 0);
	while (wait(NULL) > 0)
		;
	munmap(board, sizeof(*board));
	return ret;
}
