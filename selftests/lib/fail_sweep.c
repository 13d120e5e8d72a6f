// SPDX-License-Identifier: GPL-2.0-only
#include "fail_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_nth.h"

#define RW		(PROT_READ | PROT_WRITE)
#define RWX		(RW | PROT_EXEC)	/* no neighbour to merge with has it */
#define PAGES		8

static int do_open(struct scene *scene)
{
	long fd = open(scene->path, O_RDWR | O_CLOEXEC);

	scene->got = (void *)fd;
	return fd < 0 ? errno : 0;
}

static void undo_open(struct scene *scene)
{
	close((long)scene->got);
}

static int do_map(struct scene *scene, int prot, int type)
{
	scene->got = mmap(NULL, PAGES * scene->page, prot, type, scene->fd, 0);
	return scene->got == MAP_FAILED ? errno : 0;
}

static int do_map_private(struct scene *scene)
{
	return do_map(scene, RWX, MAP_PRIVATE);
}

static int do_map_populated(struct scene *scene)
{
	return do_map(scene, RWX, MAP_PRIVATE | MAP_POPULATE);
}

static int do_map_shared(struct scene *scene)
{
	return do_map(scene, RW, MAP_SHARED);
}

static void undo_map(struct scene *scene)
{
	munmap(scene->got, PAGES * scene->page);
}

/* Replaces the scene's mapping; the next scene brings a new one. */
static int do_map_over(struct scene *scene)
{
	void *map = mmap(scene->map + scene->page, scene->page, RW,
			 MAP_PRIVATE | MAP_FIXED, scene->fd, 0);

	return map == MAP_FAILED ? errno : 0;
}

static int do_split(struct scene *scene)
{
	return munmap(scene->map + 3 * scene->page, scene->page) ? errno : 0;
}

static int do_protect(struct scene *scene)
{
	if (mprotect(scene->map + scene->page, scene->page, PROT_READ))
		return errno;
	return mprotect(scene->map + scene->page, scene->page, RW) ? errno : 0;
}

static int do_move(struct scene *scene)
{
	void *map = mremap(scene->map, scene->len, 2 * scene->len,
			   MREMAP_MAYMOVE);

	if (map == MAP_FAILED)
		return errno;
	scene->map = map;
	scene->len *= 2;
	return 0;
}

static int do_fork(struct scene *scene)
{
	long pid = fork();

	if (!pid)
		_exit(0);
	scene->got = (void *)pid;
	return pid < 0 ? errno : 0;
}

static void undo_fork(struct scene *scene)
{
	waitpid((long)scene->got, NULL, 0);
}

/* Sets the scene; false where that cannot be done, which is without faults. */
static bool set_scene(struct scene *scene, const char *path)
{
	size_t page = getpagesize();

	*scene = (struct scene) {
		.path = path, .page = page, .len = PAGES * page,
	};
	scene->fd = open(path, O_RDWR | O_CLOEXEC);
	scene->map = mmap(NULL, scene->len, RW, MAP_PRIVATE, scene->fd, 0);
	if (scene->map == MAP_FAILED)
		return false;
	memset(scene->map, 1, scene->len);
	return true;
}

static void clear_scene(struct scene *scene)
{
	munmap(scene->map, scene->len);
	close(scene->fd);
}

const struct operation operation_open = {
	.act = do_open, .undo = undo_open, .rounds = MANY,
};

const struct operation operation_map_shared = {
	.act = do_map_shared, .undo = undo_map, .rounds = MANY, .takes_inode = true,
};

const struct operation operation_map_private = {
	.act = do_map_private, .undo = undo_map, .rounds = 1,
};

const struct operation operation_map_populated = {
	.act = do_map_populated, .undo = undo_map, .rounds = 1,
};

const struct operation operation_map_over = {
	.act = do_map_over, .rounds = 1,
};

const struct operation operation_split = {
	.act = do_split, .rounds = 1,
};

const struct operation operation_protect = {
	.act = do_protect, .rounds = 1,
};

const struct operation operation_move = {
	.act = do_move, .rounds = 1,
};

const struct operation operation_fork = {
	.act = do_fork, .undo = undo_fork, .rounds = 1,
};

int scene_sweep(const struct operation *operation, const char *path, bool *errnos)
{
	struct scene scene;
	bool failed = true;
	int n, ret;

	for (n = 1; failed && n < ENDLESS; n++) {
		if (!set_scene(&scene, path))
			return -1;
		fault_arm(n);
		ret = operation->act(&scene);
		failed = fault_disarm();
		if (!ret && operation->undo)
			operation->undo(&scene);
		errnos[ret] = true;
		clear_scene(&scene);
	}
	return n - 2;
}
