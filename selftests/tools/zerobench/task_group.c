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
 * struct shared_times - when the tasks of a group started and ended
 * @ready: where tasks wait until all of them have prepared
 * @start: when each task started, in nanoseconds
 * @end: when each task ended, in nanoseconds
 */
struct shared_times {
	pthread_barrier_t ready;
	__s64 start[TASK_GROUP_MAX];
	__s64 end[TASK_GROUP_MAX];
};

/**
 * struct task - one task of a group
 * @group: the group it is of
 * @job: what it does
 * @times: where it notes its times
 * @number: its number in the group, from 0
 */
struct task {
	const struct task_group *group;
	const struct job *job;
	struct shared_times *times;
	int number;
};

static __s64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Pins task number N to the Nth of the CPUs that it may use, in turn. */
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

void task_complain(const char *what)
{
	fprintf(stderr, "zerobench: %s: %s%s\n", what, strerror(errno),
		errno == ENOMEM ?
		": ask for fewer operations (-N), or raise vm.max_map_count" :
		"");
}

/* A task that fails ends its process, for which reap() ends the others. */
static void *task_main(void *arg)
{
	struct task *task = arg;
	struct shared_times *times = task->times;
	void *prepared;

	if (task->group->pinned)
		pin(task->number);
	prepared = task->job->prepare(task->job->data);
	if (!prepared)
		_exit(1);
	pthread_barrier_wait(&times->ready);
	times->start[task->number] = now();
	if (task->job->run(prepared)) {
		task_complain("a task failed");
		_exit(1);
	}
	times->end[task->number] = now();
	return NULL;
}

static void run_threads(struct task *tasks, int n)
{
	pthread_t threads[TASK_GROUP_MAX];
	int i;

	for (i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], NULL, task_main, &tasks[i]);
		if (errno) {
			task_complain("cannot make a thread");
			_exit(1);
		}
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Starts a process that runs the given tasks and exits. */
static pid_t start_process(struct task *tasks, int n)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* By this name a profile tells the tasks from their parent. */
	prctl(PR_SET_NAME, "zerobench-task");
	if (n == 1)
		task_main(tasks);
	else
		run_threads(tasks, n);
	_exit(0);
}

/* Waits for all processes. When the first of them fails, it kills the others. */
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

static struct shared_times *make_times(int tasks)
{
	struct shared_times *times = mmap(NULL, sizeof(*times),
					  PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;

	if (times == MAP_FAILED)
		return NULL;
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&times->ready, &shared, tasks);
	return times;
}

static __s64 elapsed(const struct shared_times *times, int tasks, __s64 reaped)
{
	__s64 start = times->start[0], end = reaped;
	int i;

	for (i = 0; i < tasks; i++) {
		if (times->start[i] < start)
			start = times->start[i];
		if (!reaped && times->end[i] > end)
			end = times->end[i];
	}
	return end - start;
}

__s64 task_group_time(const struct task_group *group, const struct job *job)
{
	int per_process = group->threads ? group->tasks : 1;
	int n = group->tasks / per_process, i;
	struct task tasks[TASK_GROUP_MAX];
	pid_t pids[TASK_GROUP_MAX];
	struct shared_times *times = make_times(group->tasks);
	__s64 ret = -1;

	if (!times) {
		task_complain("cannot prepare the tasks");
		return -1;
	}
	for (i = 0; i < group->tasks; i++)
		tasks[i] = (struct task) { group, job, times, i };
	for (i = 0; i < n; i++) {
		pids[i] = start_process(&tasks[i * per_process], per_process);
		if (pids[i] < 0) {
			task_complain("cannot make a process");
			break;
		}
	}
	/* A process is missing, for which the others would wait at the barrier. */
	if (i < n)
		while (i--)
			kill(pids[i], SIGKILL);
	else if (!reap(pids, n))
		ret = elapsed(times, group->tasks, job->exits ? now() : 0);
	while (wait(NULL) > 0)
		;
	munmap(times, sizeof(*times));
	return ret;
}
