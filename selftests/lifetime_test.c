// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings outlive the module that made them. Loads and unloads the module, and
 * leaves it loaded with module_parameters().
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "module.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		16
#define NR_MAPPERS	4
#define KEPT_MAPS	16
#define RELOADS		20
#define FEW_RELOADS	5	/* when each has to wait for the probe, too */
#define ENOUGH_RELOADS	3	/* when they take longer than SECONDS */
#define SECONDS		3

static volatile sig_atomic_t stopped;

static void on_term(int signal)
{
	stopped = 1;
}

/* Registers and removes the probe again and again, whether or not it is loaded. */
static int toggler(void)
{
	unsigned int turn;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (turn = 0; !stopped; turn++) {
		module_switch("merge", turn & 1);
		module_switch("adopt", turn & 2);
		usleep(1000);
	}
	return 0;
}

FIXTURE(lifetime) {
	size_t page;
	size_t len;
	struct switches was;
	pid_t toggler;
};

FIXTURE_VARIANT(lifetime) {
	bool toggled;
};

FIXTURE_VARIANT_ADD(lifetime, still) {
	.toggled = false,
};

/* Each test runs once more while the probe comes and goes. */
FIXTURE_VARIANT_ADD(lifetime, toggled) {
	.toggled = true,
};

FIXTURE_SETUP(lifetime)
{
	const char *reason = module_load_or_reason();

	if (reason)
		SKIP(return, "%s", reason);
	self->page = getpagesize();
	self->len = PAGES * self->page;
	self->was = switches_read();
	if (!variant->toggled)
		return;
	/* Do this before the fork, as the toggler may be told to stop at once. */
	signal(SIGTERM, on_term);
	self->toggler = fork();
	if (!self->toggler)
		_exit(toggler());
}

FIXTURE_TEARDOWN(lifetime)
{
	if (self->toggler > 0) {
		kill(self->toggler, SIGTERM);
		EXPECT_EQ(0, exit_status(self->toggler));
		switches_set(self->was);
	}
	if (module_path() && !module_loaded())
		module_load(module_parameters());
}

static char *map_and_close(const char *path, size_t len, int type)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *map = mmap(NULL, len, RW, type, fd, 0);

	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Uses a mapping whose first half holds 1, and returns whether all of it works. */
static bool works(char *map, size_t len)
{
	size_t half = len / 2;
	pid_t pid;

	if (map[0] != 1 || map[half - 1] != 1 || map[half] || map[len - 1])
		return false;
	memset(map + half, 2, half);
	pid = fork();
	if (!pid) {
		map[0] = 3;
		_exit(map[len - 1]);
	}
	if (exit_status(pid) != 2 || map[0] != 1)
		return false;
	if (mprotect(map, half, PROT_READ) || mprotect(map, half, RW) ||
	    madvise(map, half, MADV_DONTNEED) || map[0])
		return false;
	map = mremap(map, len, 2 * len, MREMAP_MAYMOVE);
	return map != MAP_FAILED && map[len - 1] == 2 && !map[2 * len - 1] &&
	       !munmap(map, 2 * len);
}

TEST_F(lifetime, private_maps_outlive_module)
{
	char *map = map_and_close("/dev/anonzero", self->len, MAP_PRIVATE);
	struct stat st;

	ASSERT_NE(NULL, map);
	memset(map, 1, self->len / 2);
	ASSERT_EQ(0, module_unload());
	EXPECT_FALSE(module_loaded());
	EXPECT_EQ(-1, stat("/dev/anonzero", &st));
	EXPECT_TRUE(works(map, self->len));
}

TEST_F(lifetime, shared_maps_outlive_module)
{
	char *map = map_and_close("/dev/anonzero", self->len, MAP_SHARED);
	pid_t pid;

	ASSERT_NE(NULL, map);
	*map = 1;
	ASSERT_EQ(0, module_unload());
	pid = fork();
	if (!pid)
		_exit(map[self->len - 1] = *map + 1);
	EXPECT_EQ(2, exit_status(pid));
	EXPECT_EQ(2, map[self->len - 1]);
}

/* The control: a mapping that keeps the file keeps the module. */
TEST_F(lifetime, hybrid_maps_hold_module)
{
	char *map = map_and_close("/dev/anonzero-hybrid", self->len, MAP_PRIVATE);

	if (!map)
		SKIP(return, "needs variants=1");
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	munmap(map, self->len);
	EXPECT_EQ(0, module_unload());
}

TEST_F(lifetime, open_file_holds_module)
{
	int fd = open("/dev/anonzero", O_RDONLY);

	ASSERT_LE(0, fd);
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	close(fd);
	EXPECT_EQ(0, module_unload());
}

/* Tasks with mappings die, by one signal or another, after the module is gone. */
TEST_F(lifetime, tasks_die_after_module)
{
	pid_t pids[NR_MAPPERS];
	int ready[2], i;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < NR_MAPPERS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			char *map = map_and_close("/dev/anonzero", self->len,
						  MAP_PRIVATE);

			*map = 1;
			if (write(ready[1], "", 1) == 1)
				pause();
			_exit(1);
		}
		ASSERT_EQ(1, read(ready[0], &byte, 1));
	}
	ASSERT_EQ(0, module_unload());
	for (i = 0; i < NR_MAPPERS; i++) {
		ASSERT_EQ(0, kill(pids[i], i & 1 ? SIGKILL : SIGSEGV));
		ASSERT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	}
}

/* Does one turn of a mapper. Returns 0, or a number that says what was wrong. */
static int map_once(const char *path, char **kept, size_t page, char mark)
{
	char *map;
	int fd;

	if (*kept) {
		if (**kept != mark || (*kept)[page])
			return 1;
		munmap(*kept, 2 * page);
		*kept = NULL;
	}
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? 0 : 2;
	map = mmap(NULL, 2 * page, RW, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 3;
	if (*map || map[page])
		return 4;
	*map = mark;
	*kept = map;
	return 0;
}

/*
 * Maps the device, when it is there, until a signal says to stop. It yields because
 * ftrace, before it frees a probe, waits until each task was switched or was seen in
 * user space.
 */
static int mapper(const char *path, size_t page, char mark, bool forks)
{
	char *kept[KEPT_MAPS] = { };
	int ret = 0, turn;

	signal(SIGTERM, on_term);
	for (turn = 0; !ret && !stopped; turn++) {
		ret = map_once(path, &kept[turn % KEPT_MAPS], page, mark);
		sched_yield();
		if (forks && turn % 8 == 0) {
			pid_t pid = fork();

			if (!pid)
				_exit(kept[turn % KEPT_MAPS] &&
				      *kept[turn % KEPT_MAPS] != mark);
			if (exit_status(pid))
				ret = 5;
		}
	}
	return ret;
}

static int nr_reloads(bool toggled)
{
	return toggled || backing_anonzero.merges || backing_zero.merges ?
	       FEW_RELOADS : RELOADS;
}

static void reload_under_mappers(struct __test_metadata *_metadata, size_t page,
				 int reloads, bool forks)
{
	time_t end = time(NULL) + SECONDS;
	pid_t pids[NR_MAPPERS];
	int ret = 0, i;

	for (i = 0; i < NR_MAPPERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(mapper(i ? "/dev/anonzero" : "/dev/zero", page,
				     i + 1, forks));
	}
	for (i = 0; i < reloads && !ret; i++) {
		if (i >= ENOUGH_RELOADS && time(NULL) >= end)
			break;
		ret = module_unload_patiently() ?: module_load(module_parameters());
		usleep(5000);
	}
	EXPECT_EQ(0, ret);
	for (i = 0; i < NR_MAPPERS; i++) {
		kill(pids[i], SIGTERM);
		EXPECT_EQ(0, exit_status(pids[i]));
	}
}

TEST_F_TIMEOUT(lifetime, reload_under_mappers, 240)
{
	reload_under_mappers(_metadata, self->page,
			     nr_reloads(variant->toggled), false);
}

TEST_F_TIMEOUT(lifetime, reload_under_forks, 240)
{
	reload_under_mappers(_metadata, self->page,
			     nr_reloads(variant->toggled), true);
}

/* A mapping keeps a file system busy only if it keeps the file. */
static int unmount_under(const struct backing *backing, size_t page)
{
	char dir[] = "/tmp/anonzero.XXXXXX";
	int fd, ret;
	char *map;

	if (!mkdtemp(dir))
		return -1;
	fd = backing_open_node(backing, dir, 0);
	map = mmap(NULL, page, RW, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -1;
	*map = 1;
	ret = umount(dir) ? errno : 0;
	if (*map != 1)
		return -1;
	munmap(map, page);
	if (ret)
		umount(dir);
	rmdir(dir);
	return ret;
}

TEST_F(lifetime, unmount_under_maps)
{
	EXPECT_EQ(0, unmount_under(&backing_anonzero, self->page));
	EXPECT_EQ(EBUSY, unmount_under(&backing_fault, self->page));
	if (!variant->toggled)
		EXPECT_EQ(backing_zero.anonymous ? 0 : EBUSY,
			  unmount_under(&backing_zero, self->page));
}

TEST_HARNESS_MAIN
