// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap(2) answers each request of a table with the same errno, and the same kind of
 * mapping, whether merge and adopt are on or off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "module.h"
#include "proc.h"
#include "requests.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE			65
#define PR_MDWE_REFUSE_EXEC_GAIN	1
#endif

#define CANNOT	77	/* exit status of a child whose arrange() failed */

static int arrange_nothing(void)
{
	return 0;
}

static int arrange_read_implies_exec(void)
{
	return personality(READ_IMPLIES_EXEC) < 0;
}

/* There is no room for what MAP_LOCKED would lock. */
static int arrange_no_memlock(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) ||
	       setuid(65534);
}

static int arrange_little_memlock(void)
{
	struct rlimit little = { 65536, 65536 };

	return setrlimit(RLIMIT_MEMLOCK, &little) || setgid(65534) ||
	       setuid(65534) || mlockall(MCL_FUTURE);
}

static int arrange_little_space(void)
{
	struct rlimit little = { 64UL << 20, 64UL << 20 };

	return setrlimit(RLIMIT_AS, &little);
}

static int arrange_no_write_exec(void)
{
	return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
}

FIXTURE(answers) {
	struct switches was;
	char dir[32];
	int fds[3];
	const struct request *requests;
	size_t n;
	struct answer *off;
	struct answer *on;
};

FIXTURE_VARIANT(answers) {
	struct backing *backing;
	const char *parameter;
	int (*arrange)(void);
	bool noexec;
};

#define VARIANT(which, param, how, is_noexec, name)			\
	FIXTURE_VARIANT_ADD(answers, name) {				\
		.backing = &backing_##which, .parameter = param,	\
		.arrange = arrange_##how, .noexec = is_noexec,		\
	}

VARIANT(anonzero, "merge", nothing, false, merge);
VARIANT(anonzero, "merge", nothing, true, merge_noexec);
VARIANT(anonzero, "merge", read_implies_exec, false, merge_read_implies_exec);
VARIANT(anonzero, "merge", read_implies_exec, true, merge_noexec_implied);
VARIANT(anonzero, "merge", no_memlock, false, merge_no_memlock);
VARIANT(anonzero, "merge", little_memlock, false, merge_little_memlock);
VARIANT(anonzero, "merge", little_space, false, merge_little_space);
VARIANT(anonzero, "merge", no_write_exec, false, merge_no_write_exec);
VARIANT(zero, "adopt", nothing, false, adopt);
VARIANT(zero, "adopt", nothing, true, adopt_noexec);
VARIANT(zero, "adopt", read_implies_exec, false, adopt_read_implies_exec);

/* Allocates answers for a child to write and the test to read. */
static struct answer *answers_alloc(size_t n)
{
	void *map = mmap(NULL, n * sizeof(struct answer), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Allocates what requests_make() takes: half is PROT_NONE, and half is free. */
static char *area_alloc(void)
{
	char *area = free_range(REQUESTS_AREA);

	area = mmap(area, REQUESTS_AREA / 2, PROT_NONE, MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return area == MAP_FAILED ? NULL : area;
}

FIXTURE_SETUP(answers)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	char path[64], *area = area_alloc();
	int i, fd;

	self->was = switches_read();
	if (switches_set((struct switches) { }))
		SKIP(return, "cannot switch merge and adopt: %s",
		     strerror(errno));
	snprintf(self->dir, sizeof(self->dir), "/tmp/anonzero.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	fd = backing_open_node(variant->backing, self->dir,
			       variant->noexec ? MS_NOEXEC : 0);
	if (fd < 0)
		SKIP(return, "cannot make a node on a tmpfs: %s", strerror(errno));
	close(fd);
	snprintf(path, sizeof(path), "%s/node", self->dir);
	for (i = 0; i < 3; i++) {
		self->fds[modes[i]] = open(path, modes[i] | O_CLOEXEC);
		ASSERT_LE(0, self->fds[modes[i]]);
	}
	ASSERT_NE(NULL, area);
	/* Only the plainest variants take the whole table, to save time. */
	self->requests = requests_make(area, variant->arrange ==
				       arrange_nothing && !variant->noexec ?
				       1 : 5, &self->n);
	self->off = answers_alloc(self->n);
	self->on = answers_alloc(self->n);
	ASSERT_NE(NULL, self->off);
	ASSERT_NE(NULL, self->on);
}

FIXTURE_TEARDOWN(answers)
{
	switches_set(self->was);
	umount2(self->dir, MNT_DETACH);
	rmdir(self->dir);
}

/* Asks in a child, so that each time the same ranges are free. */
static int ask_in_child(const struct request *requests, size_t n, int fds[3],
			int (*arrange)(void), struct answer *answers)
{
	pid_t pid = fork();

	if (!pid) {
		if (arrange())
			_exit(CANNOT);
		requests_ask(requests, n, fds, answers);
		_exit(0);
	}
	return exit_status(pid);
}

/* The table brings about success, and each errno that mmap(2) of a device has. */
static void expect_all_kinds(struct __test_metadata *_metadata,
			     const struct answer *answers, size_t n)
{
	static const int kinds[] = {
		0, EACCES, EEXIST, EINVAL, ENOMEM, EOPNOTSUPP, EOVERFLOW,
	};
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (i = 0; i < n && answers[i].error != kinds[k]; i++)
			;
		EXPECT_GT(n, i) {
			TH_LOG("no request is answered with: %s", strerror(kinds[k]));
		}
	}
}

/*
 * The mappings are at the same place, too, with two exceptions: an adopted one is
 * placed as anonymous memory, not as a hybrid, and MAP_32BIT is placed by chance.
 */
TEST_F_TIMEOUT(answers, same, 300)
{
	bool merges = !strcmp(variant->parameter, "merge");
	int different = 0, ret;
	size_t i;

	ret = ask_in_child(self->requests, self->n, self->fds, variant->arrange,
			   self->off);
	if (ret == CANNOT)
		SKIP(return, "this kernel cannot arrange the variant");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, module_switch(variant->parameter, true));
	ASSERT_EQ(0, ask_in_child(self->requests, self->n, self->fds,
				  variant->arrange, self->on));
	if (variant->arrange == arrange_nothing)
		expect_all_kinds(_metadata, self->off, self->n);
	for (i = 0; i < self->n && different < 10; i++) {
		const struct request *r = &self->requests[i];
		const struct answer *off = &self->off[i], *on = &self->on[i];

		if (off->error == on->error &&
		    (off->addr == on->addr || !merges || r->flags & MAP_32BIT))
			continue;
		different++;
		TH_LOG("mode %d addr %p len %#zx prot %#lx flags %#lx offset %#lx",
		       r->mode, r->addr, r->len, r->prot, r->flags, r->offset);
		TH_LOG("  %s at %p, with %s=1 %s at %p", strerror(off->error),
		       off->addr, variant->parameter, strerror(on->error),
		       on->addr);
	}
	EXPECT_EQ(0, different);
	TH_LOG("%zu requests", self->n);
}

static const int prots[] = {
	PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
	PROT_READ | PROT_WRITE | PROT_EXEC,
};

static const int flags[] = {
	0, MAP_LOCKED, MAP_NORESERVE, MAP_POPULATE, MAP_STACK, MAP_NONBLOCK,
	MAP_DENYWRITE,
};

/* VmFlags from smaps; empty where mmap(2) refused. */
struct vm_flags {
	char of[ARRAY_SIZE(prots)][ARRAY_SIZE(flags)][256];
};

static void read_vm_flags(struct __test_metadata *_metadata, int fd,
			  struct vm_flags *found)
{
	size_t page = getpagesize(), p, f;
	char *map;

	for (p = 0; p < ARRAY_SIZE(prots); p++) {
		for (f = 0; f < ARRAY_SIZE(flags); f++) {
			map = mmap(free_range(page), page, prots[p],
				   MAP_PRIVATE | flags[f], fd, 0);
			if (map == MAP_FAILED)
				continue;
			ASSERT_TRUE(proc_smaps_field(map, "VmFlags",
						     found->of[p][f],
						     sizeof(found->of[p][f])));
			munmap(map, page);
		}
	}
}

/* The VMA flags say what a mapping may become, and how it is accounted for. */
TEST_F(answers, same_flags)
{
	struct vm_flags off = { }, on = { };
	int fd = self->fds[O_RDONLY];
	size_t p, f;

	read_vm_flags(_metadata, fd, &off);
	ASSERT_EQ(0, module_switch(variant->parameter, true));
	read_vm_flags(_metadata, fd, &on);
	EXPECT_STRNE("", off.of[0][0]);
	for (p = 0; p < ARRAY_SIZE(prots); p++)
		for (f = 0; f < ARRAY_SIZE(flags); f++)
			EXPECT_STREQ(off.of[p][f], on.of[p][f]) {
				TH_LOG("prot %d flags %#x", prots[p], flags[f]);
			}
}

TEST_HARNESS_MAIN
