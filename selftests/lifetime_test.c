// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module comes and goes; what it mapped stays. Loads and unloads the module,
 * and leaves it loaded with variants=1.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
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
#define RELOADS		50

#define TEN		"0123456789"

FIXTURE(lifetime) {
	size_t page;
	size_t len;
};

FIXTURE_SETUP(lifetime)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	if (geteuid())
		SKIP(return, "needs root to load the module");
	if (!module_path())
		SKIP(return, "no anonzero.ko: make install, or set ANONZERO_KO");
	if (!module_loaded())
		ASSERT_EQ(0, module_load("variants=1"));
}

FIXTURE_TEARDOWN(lifetime)
{
	if (module_path() && !module_loaded())
		module_load("variants=1");
}

/* Unloads for as long as openers of the moment are in the way. */
static int unload_patiently(void)
{
	int ret, i;

	for (i = 0; i < 10000; i++) {
		ret = module_unload();
		if (ret != EWOULDBLOCK)
			break;
		usleep(1000);
	}
	return ret;
}

static char *map_and_close(const char *path, size_t len, int type)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *map = mmap(NULL, len, RW, type, fd, 0);

	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* All that a mapping can be asked for, of one whose first half holds 1. */
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

/* The control: what does keep the file keeps the module. */
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

/* The last to go are tasks that exit, or are killed, with their mappings. */
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

/* What a mapper does at each turn; 0, or what was wrong. */
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

static volatile sig_atomic_t stopped;

static void on_term(int signal)
{
	stopped = 1;
}

/* Maps from whatever device there is until it is told to stop. */
static int mapper(size_t page, char mark, bool forks)
{
	char *kept[KEPT_MAPS] = { };
	int ret = 0, turn;

	signal(SIGTERM, on_term);
	for (turn = 0; !ret && !stopped; turn++) {
		ret = map_once("/dev/anonzero", &kept[turn % KEPT_MAPS], page,
			       mark);
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

static void reload_under_mappers(struct __test_metadata *_metadata, size_t page,
				 bool forks)
{
	pid_t pids[NR_MAPPERS];
	int ret = 0, i;

	for (i = 0; i < NR_MAPPERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(mapper(page, i + 1, forks));
	}
	for (i = 0; i < RELOADS && !ret; i++) {
		ret = unload_patiently() ?: module_load("variants=1");
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
	reload_under_mappers(_metadata, self->page, false);
}

TEST_F_TIMEOUT(lifetime, reload_under_forks, 240)
{
	reload_under_mappers(_metadata, self->page, true);
}

/* Only mappings that keep the file keep its file system busy. */
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
	EXPECT_EQ(EBUSY, unmount_under(&backing_hybrid, self->page));
	EXPECT_EQ(EBUSY, unmount_under(&backing_zero, self->page));
}

/* prctl(PR_SET_VMA_ANON_NAME) takes up to 79 printable ones but \`$[] */
TEST_F(lifetime, bad_names)
{
	static const char *const bad[] = {
		"name=a\\b", "name=a`b", "name=a$b", "name=[", "name=]",
		"name=\"a\tb\"", "name=\x7f", "name=\xc3\xa9",
		"name=" TEN TEN TEN TEN TEN TEN TEN TEN,
	};
	int log = log_mark();
	struct stat st;
	size_t i;

	ASSERT_EQ(0, module_unload());
	log_lines(log);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(EINVAL, module_load(bad[i])) {
			TH_LOG("%s", bad[i]);
		}
		EXPECT_EQ(1, log_lines(log));
		EXPECT_FALSE(module_loaded());
		EXPECT_EQ(-1, stat("/dev/anonzero", &st));
	}
}

TEST_F(lifetime, good_names)
{
	static const char *const good[] = {
		"name=", "name=x", "name=\"a b\"", "name=~!@#%^&*()",
		"name=" TEN TEN TEN TEN TEN TEN TEN "123456789",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, module_load(good[i]));
	}
	ASSERT_EQ(0, module_unload());
}

TEST_F(lifetime, one_line_at_load_and_none_in_use)
{
	char byte, *map;
	int log, fd;

	ASSERT_EQ(0, module_unload());
	log = log_mark();
	ASSERT_LE(0, log);
	ASSERT_EQ(0, module_load("variants=1"));
	EXPECT_EQ(1, log_lines(log));
	fd = open("/dev/anonzero", O_RDWR);
	map = mmap(NULL, self->len, RW, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	memset(map, 1, self->len);
	EXPECT_EQ(1, read(fd, &byte, 1));
	munmap(map, self->len);
	close(fd);
	EXPECT_EQ(0, log_lines(log));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(0, log_lines(log));
}

/* Without variants=1 there is one node, and no way to the others. */
TEST_F(lifetime, without_variants)
{
	const char *path = "/tmp/anonzero.node";
	struct stat st;

	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, stat("/dev/anonzero", &st));
	EXPECT_EQ(0666, st.st_mode & 07777);
	EXPECT_EQ(-1, access("/dev/anonzero-anon", F_OK));
	EXPECT_EQ(-1, access("/dev/anonzero-hybrid", F_OK));
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600,
			   makedev(major(st.st_rdev), minor(st.st_rdev) + 1)));
	EXPECT_EQ(-1, open(path, O_RDWR));
	EXPECT_EQ(ENXIO, errno);
	unlink(path);
	ASSERT_EQ(0, module_unload());
}

TEST_HARNESS_MAIN
