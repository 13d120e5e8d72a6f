// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module names its anonymous mappings "[anon:NAME]" on a kernel that can name
 * anonymous memory. Loads and unloads the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "cpu.h"
#include "module.h"
#include "proc.h"
#include "trace.h"
#include "vma_name.h"

#define RW	(PROT_READ | PROT_WRITE)
#define PAGES	8
#define NAME	"/dev/zero"
#define SHOWN	"[anon:" NAME "]"

/*
 * There is one mapping of the device, which the module has named, and nothing is
 * beside it:
 *
 *     ............|nnnnnnnn|............
 *                 map      map + len
 */
FIXTURE(name) {
	size_t page;
	size_t len;
	char *map;
	int fd;
};

FIXTURE_SETUP(name)
{
	self->page = getpagesize();
	self->len = PAGES * self->page;
	if (!kernel_has_names())
		SKIP(return, "this kernel lacks CONFIG_ANON_VMA_NAME");
	if (module_way() != WAY_HOOK)
		SKIP(return, ALWAYS_MERGED);
	self->fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	if (self->fd < 0)
		SKIP(return, "cannot open /dev/anonzero: %s", strerror(errno));
	self->map = mmap(free_range(self->len), self->len, RW,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(name)
{
	if (module_path() && !module_loaded())
		module_load("variants=1");
}

static bool is_named(const void *addr, const char *name)
{
	struct vma vma;

	return proc_vma(addr, &vma) && !strcmp(vma.name, name);
}

TEST_F(name, maps_and_smaps)
{
	struct vma vma;

	EXPECT_TRUE(is_named(self->map, SHOWN));
	ASSERT_TRUE(proc_smaps_vma(self->map, &vma));
	EXPECT_STREQ(SHOWN, vma.name);
}

/* After a split both parts have the name. */
TEST_F(name, split)
{
	ASSERT_EQ(0, munmap(self->map + 3 * self->page, self->page));
	EXPECT_TRUE(is_named(self->map, SHOWN));
	EXPECT_TRUE(is_named(self->map + 4 * self->page, SHOWN));
	EXPECT_EQ(2, proc_count_vmas(self->map, self->len));
}

TEST_F(name, mprotect_round_trip)
{
	ASSERT_EQ(0, mprotect(self->map, self->page, PROT_READ));
	EXPECT_TRUE(is_named(self->map, SHOWN));
	EXPECT_TRUE(is_named(self->map + self->page, SHOWN));
	ASSERT_EQ(0, mprotect(self->map, self->page, RW));
	EXPECT_EQ(1, proc_count_vmas(self->map, self->len));
	EXPECT_TRUE(is_named(self->map, SHOWN));
}

TEST_F(name, mremap)
{
	char *to = free_range(self->len);

	ASSERT_EQ(to, mremap(self->map, self->len, self->len,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_TRUE(is_named(to, SHOWN));
}

TEST_F(name, fork)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(!is_named(self->map, SHOWN));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 *     |nnnnnnnn|....|   unnamed anonymous memory beside it stays apart,
 *     |nnnnnnnn|nnnn|   and is taken in once it has the same name
 */
TEST_F(name, merges_with_its_like_only)
{
	char *beside = self->map + self->len;
	size_t both = self->len + self->page;

	ASSERT_EQ(beside, mmap(beside, self->page, RW, MAP_PRIVATE |
			       MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
	EXPECT_EQ(2, proc_count_vmas(self->map, both));
	ASSERT_EQ(0, mprotect(self->map, both, PROT_READ));
	ASSERT_EQ(0, mprotect(self->map, both, RW));
	EXPECT_EQ(2, proc_count_vmas(self->map, both));
	ASSERT_EQ(0, vma_set_name(beside, self->page, NAME));
	EXPECT_EQ(1, proc_count_vmas(self->map, both));
}

TEST_F(name, renamed_and_cleared)
{
	ASSERT_EQ(0, vma_set_name(self->map, self->len, "mine"));
	EXPECT_TRUE(is_named(self->map, "[anon:mine]"));
	ASSERT_EQ(0, vma_set_name(self->map, self->len, NULL));
	EXPECT_TRUE(is_named(self->map, ""));
}

/* The parameter sets the name of new mappings; others keep theirs. */
TEST_F(name, parameter)
{
	char *other;
	int fd;

	if (!module_path())
		SKIP(return, "there is no anonzero.ko: make install, or set ANONZERO_KO");
	close(self->fd);
	ASSERT_EQ(0, module_unload());
	EXPECT_TRUE(is_named(self->map, SHOWN));
	ASSERT_EQ(0, module_load("name=\"a b\""));
	fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	other = mmap(NULL, self->page, RW, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, other);
	close(fd);
	EXPECT_TRUE(is_named(other, "[anon:a b]"));
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("name="));
	fd = open("/dev/anonzero", O_RDWR | O_CLOEXEC);
	other = mmap(free_range(self->page), self->page, RW,
		     MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	ASSERT_NE(MAP_FAILED, other);
	close(fd);
	EXPECT_TRUE(is_named(other, ""));
	ASSERT_EQ(0, module_unload());
}

/*
 * The kernel asks anon_vma_name() for the name object of each VMA it shows, and
 * a name object begins with its refcount.
 */
static const struct probe probes[] = {
	{ "get", { "anon_vma_name" }, "name=$retval:x64 count=+0($retval):x32",
	  .at_return = true },
	{ "free", { "anon_vma_name_free" }, "name=$arg1:x64" },
};

/* The address of a name object, and its refcount. */
struct object {
	__u64 address;
	__u64 count;
};

static int get_object(const void *map, struct object *object)
{
	struct object found = { };
	bool here = false;
	struct vma vma;
	char line[512];
	FILE *trace;

	/* The mapping is the only one of the process that has a name. */
	if (trace_start(getpid()) || !proc_vma(map, &vma))
		return -1;
	trace = trace_stop();
	if (!trace)
		return -1;
	while (!here && fgets(line, sizeof(line), trace))
		here = trace_is(line, "get") &&
		       trace_field(line, "name=", &found.address) &&
		       found.address && trace_field(line, "count=", &found.count);
	fclose(trace);
	*object = found;
	return here ? 0 : -1;
}

/* Each CPU has a name object, which counts the mappings made on that CPU. */
TEST_F(name, object_per_cpu)
{
	struct object first, other, one = { }, two = { };
	const char *reason = trace_open(probes, ARRAY_SIZE(probes));
	char *map;
	int cpu, turn;

	if (reason)
		SKIP(return, "%s", reason);
	munmap(self->map, self->len);
	for (cpu = 0; cpu < 2; cpu++) {
		if (pin_to_cpu(cpu))
			SKIP(return, "needs two CPUs");
		map = mmap(NULL, self->page, RW, MAP_PRIVATE, self->fd, 0);
		ASSERT_NE(MAP_FAILED, map);
		ASSERT_EQ(0, get_object(map, cpu ? &other : &first));
		munmap(map, self->page);
	}
	EXPECT_NE(first.address, other.address);

	/* Back on the first CPU, with one mapping and with two. */
	ASSERT_EQ(0, pin_to_cpu(0));
	map = free_range(3 * self->page);
	ASSERT_EQ(map, mmap(map, self->page, RW, MAP_PRIVATE | MAP_FIXED,
			    self->fd, 0));
	/* What was unmapped may drop its reference now, after a grace period. */
	for (turn = 0; turn < 50 && two.count != one.count + 1; turn++) {
		usleep(turn * 2000);
		ASSERT_EQ(0, get_object(map, &one));
		ASSERT_EQ(map + 2 * self->page,
			  mmap(map + 2 * self->page, self->page, RW,
			       MAP_PRIVATE | MAP_FIXED, self->fd, 0));
		ASSERT_EQ(0, get_object(map, &two));
		munmap(map + 2 * self->page, self->page);
		EXPECT_EQ(first.address, two.address);
	}
	EXPECT_EQ(one.count + 1, two.count);
	trace_close();
}

/*
 * Counts how often the kernel, and not the module, has freed a name object. VMAs and
 * their names are freed after a grace period, in any task.
 */
static int count_frees(__u64 address)
{
	char line[512];
	FILE *trace;
	__u64 name;
	int n = 0;

	usleep(500000);
	trace = trace_stop();
	if (!trace)
		return -1;
	while (fgets(line, sizeof(line), trace))
		n += trace_is(line, "free") &&
		     trace_field(line, "name=", &name) && name == address;
	fclose(trace);
	return n;
}

/* Whoever drops the last reference frees the name: here that is the module. */
TEST_F(name, module_frees_last)
{
	const char *reason = trace_open(probes, ARRAY_SIZE(probes));
	struct object object;

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, get_object(self->map, &object));
	ASSERT_EQ(0, trace_start(0));
	munmap(self->map, self->len);
	EXPECT_EQ(0, count_frees(object.address));
	trace_close();
}

/* Here it is the mapping. */
TEST_F(name, mapping_frees_last)
{
	const char *reason = trace_open(probes, ARRAY_SIZE(probes));
	struct object object;

	if (reason)
		SKIP(return, "%s", reason);
	if (!module_path())
		SKIP(return, "there is no anonzero.ko: make install, or set ANONZERO_KO");
	ASSERT_EQ(0, get_object(self->map, &object));
	ASSERT_EQ(0, munmap(self->map + 3 * self->page, self->page));
	close(self->fd);
	ASSERT_EQ(0, module_unload());
	EXPECT_TRUE(is_named(self->map, SHOWN));
	ASSERT_EQ(0, trace_start(0));
	munmap(self->map, self->page);
	EXPECT_EQ(0, count_frees(object.address));
	ASSERT_EQ(0, trace_start(0));
	munmap(self->map, self->len);
	EXPECT_EQ(1, count_frees(object.address));
	trace_close();
}

TEST_HARNESS_MAIN
