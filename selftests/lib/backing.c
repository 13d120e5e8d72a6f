// SPDX-License-Identifier: GPL-2.0-only
#include "backing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "module.h"

struct backing backing_anonymous = {
	.name = "MAP_ANONYMOUS", .anonymous = true, .merges = true,
};

struct backing backing_zero = {
	.name = "/dev/zero", .path = "/dev/zero", .device = true,
};

struct backing backing_anonzero = {
	.name = "/dev/anonzero", .path = "/dev/anonzero",
	.anonymous = true, .device = true,
};

#define DEFINE_DESIGN(backing, which, ...)				\
	struct backing backing##_##which = {				\
		.name = "/dev/anonzero-" #which,			\
		.path = "/dev/anonzero-" #which,			\
		.design = #which, .device = true, __VA_ARGS__		\
	}

ALL_DESIGNS(DEFINE_DESIGN, backing);

const struct backing *backings[MAX_BACKINGS];
size_t nr_backings;

static void list_backing(const struct backing *backing)
{
	if (nr_backings == MAX_BACKINGS)
		abort();
	backings[nr_backings++] = backing;
}

#define LIST_DESIGN(backing, which, ...)	list_backing(&backing##_##which)

__attribute__((constructor)) static void list_backings(void)
{
	list_backing(&backing_anonymous);
	list_backing(&backing_zero);
	list_backing(&backing_anonzero);
	ALL_DESIGNS(LIST_DESIGN, backing);
}

__attribute__((constructor)) static void learn_parameters(void)
{
	backing_zero.anonymous = module_is_on("adopt");
	backing_zero.merges = module_is_on("adopt");
	backing_anonzero.merges = module_is_on("merge");
	backing_anon.merges = module_is_on("merge");
}

int backing_open(const struct backing *backing, int flags)
{
	if (!backing->path) {
		errno = 0;
		return -1;
	}
	return open(backing->path, flags | O_CLOEXEC);
}

void *backing_map(int fd, void *addr, size_t len, int prot, int flags,
		  off_t offset)
{
	if (fd < 0)
		return mmap(addr, len, prot, flags | MAP_ANONYMOUS, -1, 0);
	return mmap(addr, len, prot, flags, fd, offset);
}

void *free_range(size_t len)
{
	uintptr_t align = len % (2UL << 20) ? 4096 : 2UL << 20;
	size_t padded = len + 4 * align;
	void *area = mmap(NULL, padded, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		return NULL;
	munmap(area, padded);
	return (void *)(((uintptr_t)area + 2 * align) & ~(align - 1));
}

int backing_open_node(const struct backing *backing, const char *dir,
		      unsigned long mount_flags)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/node", dir);
	if (stat(backing->path, &st) ||
	    mount("anonzero", dir, "tmpfs", mount_flags, NULL) ||
	    mknod(path, S_IFCHR | 0666, st.st_rdev))
		return -1;
	return open(path, O_RDWR | O_CLOEXEC);
}
