// SPDX-License-Identifier: GPL-2.0-only
/*
 * A true anonymous mapping and the hybrid differ wherever the kernel asks "file or
 * anonymous?". These are the places where a program sees the answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "coredump.h"
#include "perf.h"
#include "proc.h"
#include "uffd.h"
#include "uring.h"
#include "vma_name.h"

#define PAGES		4
#define FILE_PAGE	5	/* page offset into the device */

#define RW (PROT_READ | PROT_WRITE)

/*
 * There is one private mapping with nothing beside it:
 *
 *     ............|mmmmmmmm|............
 *                 map      map + len
 */
FIXTURE(maps) {
	size_t page;
	size_t len;
	char *map;
	int fd;
};

FIXTURE_VARIANT(maps) {
	const struct backing *backing;
};

ALL_BACKINGS(maps);

FIXTURE_SETUP(maps)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	OPEN_BACKING(self->fd, O_RDWR);
	self->map = backing_map(self->fd, free_range(self->len), self->len, RW,
				MAP_PRIVATE | MAP_FIXED_NOREPLACE,
				FILE_PAGE * self->page);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(maps)
{
	munmap(self->map, self->len);
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(maps, maps_line)
{
	struct vma vma;
	struct stat st;

	ASSERT_TRUE(proc_vma(self->map, &vma));
	EXPECT_EQ((unsigned long)self->map, vma.start);
	EXPECT_EQ((unsigned long)self->map + self->len, vma.end);
	EXPECT_STREQ("rw-p", vma.perms);
	if (variant->backing->anonymous) {
		EXPECT_EQ(0, vma.offset);
		EXPECT_EQ(0, vma.major);
		EXPECT_EQ(0, vma.minor);
		EXPECT_EQ(0, vma.inode);
		EXPECT_TRUE(!*vma.name || !strncmp(vma.name, "[anon:", 6));
	} else {
		ASSERT_EQ(0, fstat(self->fd, &st));
		EXPECT_EQ(FILE_PAGE * self->page, vma.offset);
		EXPECT_EQ(major(st.st_dev), vma.major);
		EXPECT_EQ(minor(st.st_dev), vma.minor);
		EXPECT_EQ(st.st_ino, vma.inode);
		EXPECT_STREQ(variant->backing->path, vma.name);
	}
}

TEST_F(maps, smaps_as_anonymous)
{
	char flags[256], expected[256];
	char *anonymous;

	anonymous = mmap(free_range(self->len), self->len, RW,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ASSERT_NE(MAP_FAILED, anonymous);
	memset(self->map, 1, 2 * self->page);
	memset(anonymous, 1, 2 * self->page);

	EXPECT_EQ((long)self->len / 1024, proc_smaps_kb(self->map, "Size"));
	EXPECT_EQ(2 * (long)self->page / 1024, proc_smaps_kb(self->map, "Rss"));
	EXPECT_EQ(2 * (long)self->page / 1024,
		  proc_smaps_kb(self->map, "Anonymous"));
	EXPECT_EQ(2 * (long)self->page / 1024,
		  proc_smaps_kb(self->map, "Private_Dirty"));
	ASSERT_TRUE(proc_smaps_field(anonymous, "VmFlags", expected,
				     sizeof(expected)));
	ASSERT_TRUE(proc_smaps_field(self->map, "VmFlags", flags, sizeof(flags)));
	EXPECT_STREQ(expected, flags);
}

TEST_F(maps, map_files)
{
	char target[256];
	struct vma vma;

	ASSERT_TRUE(proc_vma(self->map, &vma));
	if (variant->backing->anonymous) {
		EXPECT_EQ(-1, proc_map_files(&vma, target, sizeof(target)));
		EXPECT_EQ(ENOENT, errno);
	} else {
		EXPECT_EQ(0, proc_map_files(&vma, target, sizeof(target)));
		EXPECT_STREQ(variant->backing->path, target);
	}
}

TEST_F(maps, numa_maps)
{
	char line[512];

	*self->map = 1;
	if (access("/proc/self/numa_maps", F_OK))
		SKIP(return, "this kernel has no NUMA");
	ASSERT_EQ(0, proc_numa_line(self->map, line, sizeof(line)));
	EXPECT_NE(NULL, strstr(line, "anon=1"));
	EXPECT_EQ(!variant->backing->anonymous, !!strstr(line, "file="));
}

#ifdef PROCMAP_QUERY
static int procmap_query(void *addr, unsigned long flags)
{
	struct procmap_query query = {
		.size = sizeof(query),
		.query_addr = (unsigned long)addr,
		.query_flags = flags,
	};
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int ret = ioctl(fd, PROCMAP_QUERY, &query) ? errno : 0;

	close(fd);
	return ret;
}
#endif

TEST_F(maps, procmap_query)
{
#ifdef PROCMAP_QUERY
	int all = procmap_query(self->map, 0);

	if (all == ENOTTY)
		SKIP(return, "this kernel has no PROCMAP_QUERY");
	EXPECT_EQ(0, all);
	EXPECT_EQ(variant->backing->anonymous ? ENOENT : 0,
		  procmap_query(self->map, PROCMAP_QUERY_FILE_BACKED_VMA));
#else
	SKIP(return, "the headers lack PROCMAP_QUERY");
#endif
}

/* Writing "2" to clear_refs clears the pages of anonymous VMAs. */
TEST_F(maps, clear_refs_anonymous)
{
	long all = self->len / 1024;

	memset(self->map, 1, self->len);
	ASSERT_EQ(all, proc_smaps_kb(self->map, "Referenced"));
	ASSERT_EQ(0, proc_write("/proc/self/clear_refs", "2"));
	EXPECT_EQ(variant->backing->anonymous ? 0 : all,
		  proc_smaps_kb(self->map, "Referenced"));
}

/* Writing "3" to clear_refs clears the pages of file mappings. */
TEST_F(maps, clear_refs_mapped)
{
	long all = self->len / 1024;

	memset(self->map, 1, self->len);
	ASSERT_EQ(all, proc_smaps_kb(self->map, "Referenced"));
	ASSERT_EQ(0, proc_write("/proc/self/clear_refs", "3"));
	EXPECT_EQ(variant->backing->anonymous ? all : 0,
		  proc_smaps_kb(self->map, "Referenced"));
}

TEST_F(maps, madv_wipeonfork)
{
	int status;
	pid_t pid;

	*self->map = 1;
	if (!variant->backing->anonymous) {
		EXPECT_EQ(-1, madvise(self->map, self->len, MADV_WIPEONFORK));
		EXPECT_EQ(EINVAL, errno);
		return;
	}
	ASSERT_EQ(0, madvise(self->map, self->len, MADV_WIPEONFORK));
	pid = fork();
	if (!pid)
		_exit(*self->map);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, *self->map);
}

TEST_F(maps, madv_remove)
{
	EXPECT_EQ(-1, madvise(self->map, self->len, MADV_REMOVE));
	EXPECT_EQ(variant->backing->anonymous ? EINVAL : EACCES, errno);
}

/* userfaultfd refuses to register a mapping with a handler, with EINVAL. */
static int uffd_refusal(const struct backing *backing)
{
	return backing->has_handler ? EINVAL : EFAULT;
}

TEST_F(maps, uffdio_zeropage)
{
	int ret = uffd_fill_page(self->map, UFFD_ZEROPAGE);

	if (ret == ENOSYS)
		SKIP(return, "this kernel has no userfaultfd");
	EXPECT_EQ(variant->backing->anonymous ? 0 :
		  uffd_refusal(variant->backing), ret);
	EXPECT_EQ(0, *self->map);
}

/* 6.12 and later refuse the hybrid; what older kernels do is not checked. */
TEST_F(maps, uffdio_copy)
{
	int ret = uffd_fill_page(self->map, UFFD_COPY);

	if (ret == ENOSYS)
		SKIP(return, "this kernel has no userfaultfd");
	if (variant->backing->anonymous) {
		EXPECT_EQ(0, ret);
		EXPECT_EQ(0x5a, *self->map);
	} else if (kernel_at_least(6, 12)) {
		EXPECT_EQ(uffd_refusal(variant->backing), ret);
	}
}

TEST_F(maps, uffdio_poison)
{
	int ret = uffd_fill_page(self->map, UFFD_POISON);

	if (ret == ENOSYS || ret == ENOTTY || ret == EINVAL)
		SKIP(return, "this kernel, or the headers, lack UFFDIO_POISON");
	EXPECT_EQ(variant->backing->anonymous ? 0 : EFAULT, ret);
}

static void touch_first_page(void *map)
{
	*(char *)map = 1;
}

static void touch_nothing(void *map)
{
}

TEST_F(maps, coredump_untouched)
{
	struct coredump dump;

	if (geteuid())
		SKIP(return, "needs root to set core_pattern");
	ASSERT_EQ(0, coredump_take(&dump, touch_nothing, self->map));
	EXPECT_EQ(variant->backing->anonymous ? 0 : (ssize_t)self->len,
		  coredump_bytes(&dump, self->map));
	EXPECT_EQ(!variant->backing->anonymous,
		  coredump_lists_file(&dump, self->map));
	coredump_drop(&dump);
}

TEST_F(maps, coredump_touched)
{
	struct coredump dump;

	if (geteuid())
		SKIP(return, "needs root to set core_pattern");
	ASSERT_EQ(0, coredump_take(&dump, touch_first_page, self->map));
	EXPECT_EQ((ssize_t)self->len, coredump_bytes(&dump, self->map));
	EXPECT_EQ(!variant->backing->anonymous,
		  coredump_lists_file(&dump, self->map));
	coredump_drop(&dump);
}

TEST_F(maps, perf_event)
{
	struct perf_log log;
	const char *name;

	if (perf_start(&log))
		SKIP(return, "cannot record perf events: %s", strerror(errno));
	ASSERT_EQ(self->map, backing_map(self->fd, self->map, self->len, RW,
					 MAP_PRIVATE | MAP_FIXED, 0));
	name = perf_mmap_name(&log, self->map);
	ASSERT_NE(NULL, name);
	EXPECT_STREQ(variant->backing->anonymous ? "//anon" :
		     variant->backing->path, name);
	perf_stop(&log);
}

/* Kernels up to 6.1 refuse the hybrid; 6.12 and later do not ask any more. */
TEST_F(maps, uring_registered_buffer)
{
	int ret = uring_register(self->map, self->len);

	if (ret == -ENOSYS || ret == -EPERM)
		SKIP(return, "cannot use io_uring: %s", strerror(-ret));
	if (variant->backing->anonymous || kernel_at_least(6, 12))
		EXPECT_EQ(0, ret);
	if (!variant->backing->anonymous && !kernel_at_least(6, 2))
		EXPECT_EQ(-EOPNOTSUPP, ret);
}

/*
 * Two VMAs, of which the first is read-only, move in one call:
 *
 *     |rrrr|mmmm|
 */
TEST_F(maps, mremap_several)
{
	char *probe = free_range(self->len), *to, *moved;

	/* Find out with anonymous memory whether the kernel can do that at all. */
	ASSERT_EQ(probe, mmap(probe, self->len, RW, MAP_PRIVATE | MAP_ANONYMOUS |
			      MAP_FIXED_NOREPLACE, -1, 0));
	ASSERT_EQ(0, mprotect(probe, self->len / 2, PROT_READ));
	to = free_range(self->len);
	moved = mremap(probe, self->len, self->len, MREMAP_MAYMOVE | MREMAP_FIXED,
		       to);
	if (moved == MAP_FAILED && errno == EFAULT)
		SKIP(return, "this kernel moves one VMA at a time");
	ASSERT_EQ(to, moved);

	ASSERT_EQ(0, mprotect(self->map, self->len / 2, PROT_READ));
	moved = mremap(self->map, self->len, self->len,
		       MREMAP_MAYMOVE | MREMAP_FIXED, free_range(self->len));
	if (variant->backing->anonymous) {
		ASSERT_NE(MAP_FAILED, moved);
		self->map = moved;
	} else {
		EXPECT_EQ(MAP_FAILED, moved);
		EXPECT_EQ(EFAULT, errno);
	}
}

TEST_F(maps, set_anon_name)
{
	struct vma vma;

	if (!kernel_has_names())
		SKIP(return, "this kernel lacks CONFIG_ANON_VMA_NAME");
	EXPECT_EQ(variant->backing->anonymous ? 0 : EBADF,
		  vma_set_name(self->map, self->len, "selftest"));
	ASSERT_TRUE(proc_vma(self->map, &vma));
	EXPECT_EQ(variant->backing->anonymous,
		  !strcmp("[anon:selftest]", vma.name));
}

/* The parameter "name" names the module's mappings, but not those that merge. */
TEST_F(maps, module_name)
{
	char parameter[96] = "", expected[128] = "";
	struct vma vma;
	FILE *file;

	if (!kernel_has_names())
		SKIP(return, "this kernel lacks CONFIG_ANON_VMA_NAME");
	file = fopen("/sys/module/anonzero/parameters/name", "re");
	if (file) {
		if (fgets(parameter, sizeof(parameter), file))
			parameter[strcspn(parameter, "\n")] = '\0';
		fclose(file);
	}
	if (variant->backing->device && *parameter && !variant->backing->merges)
		snprintf(expected, sizeof(expected), "[anon:%s]", parameter);
	ASSERT_TRUE(proc_vma(self->map, &vma));
	EXPECT_STREQ(variant->backing->anonymous ? expected :
		     variant->backing->path, vma.name);
}

/*
 *     |mmmm|nnnn|   two maps, both at offset 0
 *     |rrrrrrrrr|   mprotect(PROT_READ)
 *     |mmmmmmmmm|   mprotect back: one VMA, or two
 */
TEST_F(maps, merge_after_mprotect)
{
	size_t half = self->len / 2;

	munmap(self->map, self->len);
	ASSERT_EQ(self->map, backing_map(self->fd, self->map, half, RW,
					 MAP_PRIVATE | MAP_FIXED, 0));
	ASSERT_EQ(self->map + half,
		  backing_map(self->fd, self->map + half, half, RW,
			      MAP_PRIVATE | MAP_FIXED, 0));
	ASSERT_EQ(0, mprotect(self->map, self->len, PROT_READ));
	ASSERT_EQ(0, mprotect(self->map, self->len, RW));
	EXPECT_EQ(variant->backing->anonymous ? 1 : 2,
		  proc_count_vmas(self->map, self->len));
}

/* It merges with anonymous memory that is mapped beside it, unless it is named. */
TEST_F(maps, merge_with_new_anonymous)
{
	struct vma vma;

	ASSERT_TRUE(proc_vma(self->map, &vma));
	if (strstr(vma.name, "[anon:"))
		SKIP(return, "the mapping is named, and merges only with one of its name");
	ASSERT_EQ(self->map + self->len,
		  mmap(self->map + self->len, self->page, RW, MAP_PRIVATE |
		       MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
	EXPECT_EQ(variant->backing->anonymous ? 1 : 2,
		  proc_count_vmas(self->map, self->len + self->page));
	munmap(self->map + self->len, self->page);
}

TEST_HARNESS_MAIN
