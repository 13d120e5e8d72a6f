// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameter design=, and the design "fault": to the kernel its mappings are those
 * of a file, so they lose what only anonymous memory has.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "module.h"
#include "proc.h"
#include "uffd.h"

#define RW	(PROT_READ | PROT_WRITE)
#define HUGE	(2UL << 20)

FIXTURE(design) {
	int log;
};

FIXTURE_SETUP(design)
{
	const char *reason = module_load_or_reason();

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, module_unload());
	self->log = log_mark();
}

FIXTURE_TEARDOWN(design)
{
	if (module_path() && module_loaded())
		EXPECT_EQ(0, module_unload());
	if (module_path())
		module_load(module_parameters());
}

/* Loads the module with one design for /dev/anonzero, and other parameters. */
static int load_design(const char *design, const char *more)
{
	char parameters[64];

	snprintf(parameters, sizeof(parameters), "design=%s %s", design, more);
	return module_load(parameters);
}

/* Maps /dev/anonzero, and finds the mapping in maps. */
static bool map_node(struct vma *vma)
{
	int fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	char *map = mmap(free_range(4096), 4096, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	bool ret = proc_vma(map, vma);

	munmap(map, 4096);
	close(fd);
	return ret;
}

/* Where core mm makes /dev/zero anonymous it takes hybrids from no driver: way_test. */
static bool is_to_try(const struct backing *backing)
{
	return backing->design && (backing->anonymous || backing->has_handler ||
				   !core_makes_zero_anonymous());
}

TEST_F(design, chosen_at_load)
{
	struct vma vma;
	size_t i;

	for (i = 0; i < nr_backings; i++) {
		if (!is_to_try(backings[i]))
			continue;
		ASSERT_EQ(0, load_design(backings[i]->design, ""));
		ASSERT_TRUE(map_node(&vma));
		EXPECT_EQ(backings[i]->anonymous, !vma.inode);
		EXPECT_EQ(backings[i]->anonymous,
			  !!strcmp("/dev/anonzero", vma.name));
		ASSERT_EQ(0, module_unload_patiently());
	}
}

TEST_F(design, unknown)
{
	EXPECT_EQ(EINVAL, module_load("design=best"));
	EXPECT_EQ(1, log_lines(self->log));
	EXPECT_FALSE(module_loaded());
	EXPECT_EQ(EINVAL, module_load("design="));
	EXPECT_EQ(1, log_lines(self->log));
}

/* The parameter merge changes nothing for the nodes of other designs. */
TEST_F(design, merge_is_for_anon)
{
	struct vma vma;
	size_t i;

	for (i = 0; i < nr_backings; i++) {
		if (!is_to_try(backings[i]) || backings[i]->anonymous)
			continue;
		ASSERT_EQ(0, load_design(backings[i]->design, "merge=1"));
		ASSERT_TRUE(map_node(&vma));
		EXPECT_STREQ("/dev/anonzero", vma.name);
		ASSERT_EQ(0, module_unload_patiently());
	}
}

/*
 * The mapping is 2 MiB long, aligned to that, and written:
 *
 *     ............|mmmmmmmmmmmmmmmm|............
 *                 map              map + HUGE
 */
FIXTURE(fault) {
	char *map;
	int fd;
};

FIXTURE_SETUP(fault)
{
	self->fd = open(backing_fault.path, O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "cannot open %s: %s (is the module loaded with variants=1?)",
		     backing_fault.path, strerror(errno));
	self->map = mmap(free_range(HUGE), HUGE, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	madvise(self->map, HUGE, MADV_HUGEPAGE);
	memset(self->map, 1, HUGE);
}

FIXTURE_TEARDOWN(fault)
{
}

/* Memory that was written is anonymous, but never in huge pages. */
TEST_F(fault, small_pages_only)
{
	EXPECT_EQ((long)HUGE / 1024, proc_smaps_kb(self->map, "Anonymous"));
	EXPECT_EQ(0, proc_smaps_kb(self->map, "AnonHugePages"));
	EXPECT_EQ(-1, madvise(self->map, HUGE, 25 /* MADV_COLLAPSE */));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(fault, advice_of_a_file)
{
	EXPECT_EQ(-1, madvise(self->map, HUGE, MADV_FREE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, madvise(self->map, HUGE, MADV_WIPEONFORK));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, madvise(self->map, HUGE, MADV_DONTNEED));
	EXPECT_EQ(0, self->map[HUGE - 1]);
}

TEST_F(fault, no_userfaultfd)
{
	int uffd = uffd_open();

	if (uffd < 0)
		SKIP(return, "cannot open a userfaultfd: %s", strerror(errno));
	EXPECT_EQ(EINVAL, uffd_register(uffd, self->map, HUGE,
					UFFDIO_REGISTER_MODE_MISSING));
	close(uffd);
}

/* The mapping's vm_ops are in the module, which so must stay loaded. */
TEST_F(fault, holds_module)
{
	if (!module_is_counted())
		SKIP(return, MODULE_BUILT_IN);
	close(self->fd);
	EXPECT_EQ(EWOULDBLOCK, module_unload());
}

TEST_HARNESS_MAIN
