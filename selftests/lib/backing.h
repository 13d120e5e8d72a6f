/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mapping is made of: anonymous memory, or one of the zero devices. This is
 * the only list of the designs in selftests.
 */
#ifndef BACKING_H
#define BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct backing - one way to get zeroed private memory
 * @name: its name in messages and tables
 * @path: the node to open, or NULL for MAP_ANONYMOUS
 * @design: the design that the node is of with variants=1; NULL for any other
 *	backing
 * @anonymous: its private mappings are true anonymous memory
 * @has_handler: its private mappings have a fault handler, as those of a file have
 * @merges: its private mappings merge with their neighbours at once, and so have no
 *	name
 * @device: it is a device, and so can be mapped shared, and at an offset
 *
 * @anonymous of /dev/zero and @merges of all devices follow the module's
 * parameters "adopt" and "merge", as they are when the program starts.
 */
struct backing {
	const char *name;
	const char *path;
	const char *design;
	bool anonymous;
	bool has_handler;
	bool merges;
	bool device;
};

/*
 * The designs: each() is expanded for each of them, with the argument first, the
 * design's name, and what to set in its struct backing. A new design is a line in
 * one of these two.
 */
#define DESIGNS_WITHOUT_HANDLER(each, first)				\
	each(first, anon, .anonymous = true);				\
	each(first, hybrid);						\
	each(first, sharded)

#define DESIGNS_WITH_HANDLER(each, first)				\
	each(first, fault, .has_handler = true)

#define ALL_DESIGNS(each, first)					\
	DESIGNS_WITHOUT_HANDLER(each, first);				\
	DESIGNS_WITH_HANDLER(each, first)

#define DECLARE_DESIGN(backing, design, ...)				\
	extern struct backing backing##_##design

extern struct backing backing_anonymous;
extern struct backing backing_zero;
extern struct backing backing_anonzero;
ALL_DESIGNS(DECLARE_DESIGN, backing);

#define MAX_BACKINGS	16

/* All of them, in this order. */
extern const struct backing *backings[MAX_BACKINGS];
extern size_t nr_backings;

/**
 * backing_open() - open the node of a backing
 * @backing: the backing
 * @flags: O_* for open(2)
 *
 * Return: a descriptor; -1 with errno set, which is 0 for a backing that has no node
 * and is mapped without a descriptor.
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
 * Return: what mmap(2) returned.
 */
void *backing_map(int fd, void *addr, size_t len, int prot, int flags,
		  off_t offset);

/**
 * backing_open_node() - make another node of a device, on a new tmpfs, and open it
 * @backing: a device
 * @dir: an empty directory to mount the tmpfs on; the caller unmounts it
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
 * A mapping there has no neighbour that it could merge with.
 *
 * Return: the address, or NULL.
 */
void *free_range(size_t len);

/*
 * Variants of a fixture: its tests run once for each backing, which they find in
 * variant->backing.
 */
#define BACKING_VARIANT(fixture, which)					\
	FIXTURE_VARIANT_ADD(fixture, which) {				\
		.backing = &backing_##which,				\
	}

#define DESIGN_VARIANT(fixture, design, ...)				\
	BACKING_VARIANT(fixture, design)

/* All devices but those with a fault handler. */
#define DEVICE_BACKINGS_WITHOUT_HANDLER(fixture)			\
	BACKING_VARIANT(fixture, zero);					\
	BACKING_VARIANT(fixture, anonzero);				\
	DESIGNS_WITHOUT_HANDLER(DESIGN_VARIANT, fixture)

#define DEVICE_BACKINGS(fixture)					\
	DEVICE_BACKINGS_WITHOUT_HANDLER(fixture);			\
	DESIGNS_WITH_HANDLER(DESIGN_VARIANT, fixture)

#define ALL_BACKINGS(fixture)						\
	BACKING_VARIANT(fixture, anonymous);				\
	DEVICE_BACKINGS(fixture)

/* Sets fd to a descriptor of variant->backing, or skips where it has no node. */
#define OPEN_BACKING(fd, flags) do {					\
	(fd) = backing_open(variant->backing, (flags));			\
	if ((fd) < 0 && errno)						\
		SKIP(return, "cannot open %s: %s (is the module loaded with variants=1?)", \
		     variant->backing->path, strerror(errno));		\
} while (0)

#endif /* BACKING_H */
