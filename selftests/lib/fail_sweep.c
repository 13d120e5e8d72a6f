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
#define RWX		(RW | PROT_EXEC)	/* merges with no neighbour */
#define PAGES		8

static int do_open(struct fail_target *target)
{
	long fd = open(target->path, O_RDWR | O_CLOEXEC);

	target->got = (void *)fd;
	return fd < 0 ? errno : 0;
}

static void undo_open(struct fail_target *target)
{
	close((long)target->got);
}

static int do_map(struct fail_target *target, int prot, int type)
{
	target->got = mmap(NULL, PAGES * target->page, prot, type, target->fd, 0);
	return target->got == MAP_FAILED ? errno : 0;
}

static int do_map_private(struct fail_target *target)
{
	return do_map(target, RWX, MAP_PRIVATE);
}

static int do_map_populated(struct fail_target *target)
{
	return do_map(target, RWX, MAP_PRIVATE | MAP_POPULATE);
}

static int do_map_shared(struct fail_target *target)
{
	return do_map(target, RW, MAP_SHARED);
}

static void undo_map(struct fail_target *target)
{
	munmap(target->got, PAGES * target->page);
}

/* Maps over a part of the target, which tear_down() unmaps with the rest. */
static int do_map_over(struct fail_target *target)
{
	void *map = mmap(target->map + target->page, target->page, RW,
			 MAP_PRIVATE | MAP_FIXED, target->fd, 0);

	return map == MAP_FAILED ? errno : 0;
}

static int do_split(struct fail_target *target)
{
	return munmap(target->map + 3 * target->page, target->page) ? errno : 0;
}

static int do_protect(struct fail_target *target)
{
	if (mprotect(target->map + target->page, target->page, PROT_READ))
		return errno;
	return mprotect(target->map + target->page, target->page, RW) ? errno : 0;
}

static int do_move(struct fail_target *target)
{
	void *map = mremap(target->map, target->len, 2 * target->len,
			   MREMAP_MAYMOVE);

	if (map == MAP_FAILED)
		return errno;
	target->map = map;
	target->len *= 2;
	return 0;
}

static int do_fork(struct fail_target *target)
{
	long pid = fork();

	if (!pid)
		_exit(0);
	target->got = (void *)pid;
	return pid < 0 ? errno : 0;
}

static void undo_fork(struct fail_target *target)
{
	waitpid((long)target->got, NULL, 0);
}

/* Makes the target while nothing fails, and returns whether that worked. */
static bool set_up(struct fail_target *target, const char *path)
{
	size_t page = getpagesize();

	*target = (struct fail_target) {
		.path = path, .page = page, .len = PAGES * page,
	};
	target->fd = open(path, O_RDWR | O_CLOEXEC);
	target->map = mmap(NULL, target->len, RW, MAP_PRIVATE, target->fd, 0);
	if (target->map == MAP_FAILED)
		return false;
	memset(target->map, 1, target->len);
	return true;
}

static void tear_down(struct fail_target *target)
{
	munmap(target->map, target->len);
	close(target->fd);
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

int fail_sweep(const struct operation *operation, const char *path, bool *errnos)
{
	struct fail_target target;
	bool failed = true;
	int n, ret;

	for (n = 1; failed && n < ENDLESS; n++) {
		if (!set_up(&target, path))
			return -1;
		fail_nth_arm(n);
		ret = operation->act(&target);
		failed = fail_nth_disarm();
		if (!ret && operation->undo)
			operation->undo(&target);
		errnos[ret] = true;
		tear_down(&target);
	}
	return n - 2;
}
