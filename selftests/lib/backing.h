/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mapping is made of: anonymous memory, or one of the zero devices.
 */
#ifndef BACKING_H
#define BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct backing - one way to get zeroed private memory
 * @name: how to call it
 * @path: the node to open, or NULL for MAP_ANONYMOUS
 * @anonymous: its private mappings are true anonymous memory
 * @has_handler: they have a fault handler: all in all those of a file
 * @merges: and they merge with their neighbours at once, and have no name
 * @device: it takes part in what only a device does (shared maps, offsets)
 *
 * @anonymous of /dev/zero and @merges of all devices follow the module's
 * parameters "adopt" and "merge", as they are when the program starts.
 */
struct backing {
	const char *name;
	const char *path;
	bool anonymous;
	bool has_handler;
	bool merges;
	bool device;
};

extern struct backing backing_anonymous;
extern struct backing backing_zero;
extern struct backing backing_anonzero;
extern struct backing backing_anon;
extern struct backing backing_hybrid;
extern struct backing backing_sharded;
extern struct backing backing_fault;

/**
 * backing_open() - open the node of a backing
 * @backing: which
 * @flags: O_* for open(2)
 *
 * Return: a descriptor; -1 with errno set, which is 0 for a backing that has
 * no node and needs no descriptor.
 */
int backing_open(const struct backing *backing, int flags);

/**
 * backing_map() - mmap(2) of a backing
 * @fd: from backing_open()
 * @addr: hint, or the address with MAP_FIXED in @flags
 * @len: bytes
 * @prot: PROT_*
 * @flags: MAP_*; MAP_ANONYMOUS is added where @fd is -1
 * @offset: bytes; not used without a descriptor
 *
 * Return: as mmap(2).
 */
void *backing_map(int fd, void *addr, size_t len, int prot, int flags,
		  off_t offset);

/**
 * backing_open_node() - open a second node of a device, on a tmpfs of its own
 * @backing: a device
 * @dir: an empty directory, to mount the tmpfs on; the caller unmounts it
 * @mount_flags: MS_* for the tmpfs
 *
 * Needs root.
 *
 * Return: a descriptor, open for reading and writing; -1 with errno set.
 */
int backing_open_node(const struct backing *backing, const char *dir,
		      unsigned long mount_flags);

/**
 * free_range() - find a free address range with free pages on both sides
 * @len: bytes; a multiple of 2 MiB is aligned to it
 *
 * A mapping there has no neighbour to merge with.
 *
 * Return: the address, or NULL.
 */
void *free_range(size_t len);

/* A test's fixture runs once for each of these, by variant->backing. */
#define BACKING_VARIANT(fixture, which)					\
	FIXTURE_VARIANT_ADD(fixture, which) {				\
		.backing = &backing_##which,				\
	}

#define DEVICE_BACKINGS(fixture)					\
	BACKING_VARIANT(fixture, zero);					\
	BACKING_VARIANT(fixture, anonzero);				\
	BACKING_VARIANT(fixture, anon);					\
	BACKING_VARIANT(fixture, hybrid);				\
	BACKING_VARIANT(fixture, sharded);				\
	BACKING_VARIANT(fixture, fault)

#define ALL_BACKINGS(fixture)						\
	BACKING_VARIANT(fixture, anonymous);				\
	DEVICE_BACKINGS(fixture)

/* Opens variant->backing into fd, or skips where there is no such node. */
#define OPEN_BACKING(fd, flags) do {					\
	(fd) = backing_open(variant->backing, (flags));			\
	if ((fd) < 0 && errno)						\
		SKIP(return, "%s: %s (is the module loaded with variants=1?)", \
		     variant->backing->path, strerror(errno));		\
} while (0)

#endif /* BACKING_H */
