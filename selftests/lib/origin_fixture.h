/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of the programs that test origin=1.
 */
#ifndef ORIGIN_FIXTURE_H
#define ORIGIN_FIXTURE_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "module.h"
#include "origin.h"

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		8

/*
 * There is one marked mapping with nothing beside it. Its first half is written:
 *
 *     ............|wwww....|............
 *                 map      map + len
 */
FIXTURE(origin) {
	size_t page;
	size_t len;
	bool was;
	char *map;
	int fd;
};

FIXTURE_SETUP(origin)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	self->was = module_is_on("origin");
	if (module_way() != WAY_HOOK)
		SKIP(return, ALWAYS_MERGED);
	if (access(ORIGIN_LIST, R_OK) || module_switch("origin", true))
		SKIP(return, "needs root, the module, and debugfs");
	self->fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->map = mmap(free_range(self->len), self->len, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	memset(self->map, 1, self->len / 2);
}

FIXTURE_TEARDOWN(origin)
{
	module_switch("origin", self->was);
}

static bool is_marked(const void *addr)
{
	struct origin origin;

	return origin_find(getpid(), addr, &origin);
}

#endif /* ORIGIN_FIXTURE_H */
