// SPDX-License-Identifier: GPL-2.0-only
#include "stress.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array_size.h"
#include "backing.h"
#include "proc.h"

static const int prots[] = {
	PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE,
	PROT_READ | PROT_WRITE | PROT_EXEC,
};

/* MADV_FREE and MADV_COLLAPSE are left out: the kernel may choose what they do. */
static const int advices[] = {
	MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
	MADV_REMOVE, MADV_DONTFORK, MADV_DOFORK, MADV_MERGEABLE,
	MADV_UNMERGEABLE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP,
	MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_COLD, MADV_PAGEOUT,
	MADV_POPULATE_READ, MADV_POPULATE_WRITE,
};

static int pick(const int *list, size_t n, const struct step *step)
{
	return list[step->number % n];
}

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static char *address(struct worker *w, struct arena *arena, unsigned long page)
{
	return arena->start + page * w->page;
}

static char *at(struct worker *w, struct arena *arena, const struct step *step)
{
	return address(w, arena, step->at);
}

static size_t len(struct worker *w, const struct step *step)
{
	return step->pages * w->page;
}

static long map(struct worker *w, struct arena *arena, const struct step *step,
		int type)
{
	int fd = arena->fds[w->wide ? step->number / 8 % NR_FDS : 0];
	off_t offset = type & MAP_SHARED ? 0 : step->number % 64 * w->page;

	return backing_map(fd, at(w, arena, step), len(w, step),
			   pick(prots, ARRAY_SIZE(prots), step),
			   type | MAP_FIXED, offset) == MAP_FAILED ? -errno : 0;
}

static long act_map_private(struct worker *w, struct arena *arena,
			    const struct step *step)
{
	return map(w, arena, step, MAP_PRIVATE);
}

static long act_map_populated(struct worker *w, struct arena *arena,
			      const struct step *step)
{
	return map(w, arena, step, MAP_PRIVATE | MAP_POPULATE);
}

static long act_map_shared(struct worker *w, struct arena *arena,
			   const struct step *step)
{
	return map(w, arena, step, MAP_SHARED);
}

static long act_munmap(struct worker *w, struct arena *arena,
		       const struct step *step)
{
	return result(munmap(at(w, arena, step), len(w, step)));
}

static long act_mprotect(struct worker *w, struct arena *arena,
			 const struct step *step)
{
	return result(mprotect(at(w, arena, step), len(w, step),
			       pick(prots, ARRAY_SIZE(prots), step)));
}

static long act_madvise(struct worker *w, struct arena *arena,
			const struct step *step)
{
	return result(madvise(at(w, arena, step), len(w, step),
			      pick(advices, ARRAY_SIZE(advices), step)));
}

static long act_mlock(struct worker *w, struct arena *arena,
		      const struct step *step)
{
	if (step->number & 1)
		return result(mlock2(at(w, arena, step), len(w, step),
				     MLOCK_ONFAULT));
	return result(mlock(at(w, arena, step), len(w, step)));
}

static long act_munlock(struct worker *w, struct arena *arena,
			const struct step *step)
{
	return result(munlock(at(w, arena, step), len(w, step)));
}

static long act_msync(struct worker *w, struct arena *arena,
		      const struct step *step)
{
	return result(msync(at(w, arena, step), len(w, step),
			    step->number & 1 ? MS_SYNC : MS_INVALIDATE));
}

/*
 * mremap() moves one VMA, and not onto itself. Mappings side by side may have
 * merged in one arena only, so the range must be within one VMA in both.
 */
static bool is_one_vma(struct worker *w, struct arena *arena,
		       const struct step *step)
{
	char *start = at(w, arena, step);
	struct vma vma;

	if (step->to < step->at + step->pages && step->at < step->to + step->pages)
		return false;
	return proc_vma(start, &vma) &&
	       vma.end >= (unsigned long)start + len(w, step);
}

static long move(struct worker *w, struct arena *arena, const struct step *step,
		 int flags)
{
	void *to = address(w, arena, step->to);

	return mremap(at(w, arena, step), len(w, step), len(w, step),
		      MREMAP_MAYMOVE | MREMAP_FIXED | flags, to) == MAP_FAILED ?
	       -errno : 0;
}

static long act_mremap(struct worker *w, struct arena *arena,
		       const struct step *step)
{
	return move(w, arena, step, 0);
}

static long act_mremap_dontunmap(struct worker *w, struct arena *arena,
				 const struct step *step)
{
	return move(w, arena, step, MREMAP_DONTUNMAP);
}

/* Has the kernel copy, so that memory without access is an error, not a signal. */
static long copy(struct worker *w, char *buffer, size_t size, char *memory,
		 bool write)
{
	struct iovec local = { buffer, size }, remote = { memory, size };

	if (write)
		return result(process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
	return result(process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
}

/* Writes one byte, which depends on the step, into each page. */
static long act_write(struct worker *w, struct arena *arena,
		      const struct step *step)
{
	char byte = step->number | 1;
	unsigned long i;
	long n = 0;

	for (i = 0; i < step->pages; i++)
		n += copy(w, &byte, 1, at(w, arena, step) + i * w->page +
			  step->number % w->page, true) == 1;
	return n;
}

static long act_read_zeroes(struct worker *w, struct arena *arena,
			    const struct step *step)
{
	int zero = w->arenas[DEVICE].fds[0];

	return result(read(zero, at(w, arena, step), len(w, step)));
}

static long act_pread(struct worker *w, struct arena *arena,
		      const struct step *step)
{
	return result(pread(w->file, at(w, arena, step), len(w, step),
			    step->to * w->page));
}

static long act_pwrite(struct worker *w, struct arena *arena,
		       const struct step *step)
{
	return result(pwrite(w->file, at(w, arena, step), len(w, step),
			     step->to * w->page));
}

/* A child compares both arenas, so one child is enough for the two of them. */
static long act_fork(struct worker *w, struct arena *arena,
		     const struct step *step)
{
	int status;
	pid_t pid;

	if (arena == &w->arenas[DEVICE])
		return 0;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(stress_compare(w, step->at, step->pages) >= 0);
	waitpid(pid, &status, 0);
	return status;
}

const struct action actions[NR_ACTIONS] = {
	{ "mmap private", NULL, act_map_private },
	{ "mmap private", NULL, act_map_private },
	{ "mmap populated", NULL, act_map_populated },
	{ "mmap shared", NULL, act_map_shared },
	{ "munmap", NULL, act_munmap },
	{ "mprotect", NULL, act_mprotect },
	{ "madvise", NULL, act_madvise },
	{ "mlock", NULL, act_mlock },
	{ "munlock", NULL, act_munlock },
	{ "msync", NULL, act_msync },
	{ "mremap", is_one_vma, act_mremap },
	{ "mremap dontunmap", is_one_vma, act_mremap_dontunmap },
	{ "write", NULL, act_write },
	{ "read zeroes", NULL, act_read_zeroes },
	{ "pread", NULL, act_pread },
	{ "pwrite", NULL, act_pwrite },
	{ "fork", NULL, act_fork },
};

static void give_up(const char *what)
{
	fprintf(stderr, "stress: %s: %s\n", what, strerror(errno));
	exit(2);
}

void stress_open(struct worker *w)
{
	const char *const paths[NR_ARENAS] = { w->device, w->reference };
	size_t size = ARENA_PAGES * w->page;
	int i, j;

	w->file = memfd_create("stress", MFD_CLOEXEC);
	if (w->file < 0 || ftruncate(w->file, 2 * size))
		give_up("memfd");
	for (i = 0; i < NR_ARENAS; i++) {
		struct arena *arena = &w->arenas[i];

		/* Take all of it, so that no other mapping comes to lie there. */
		arena->start = free_range(size);
		if (mmap(arena->start, size, PROT_NONE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			give_up("mmap");
		for (j = 0; j < NR_FDS; j++) {
			arena->fds[j] = paths[i] ?
					open(paths[i], O_RDWR | O_CLOEXEC) : -1;
			if (paths[i] && arena->fds[j] < 0)
				give_up(paths[i]);
		}
	}
}

long stress_compare(struct worker *w, unsigned long at, unsigned long pages)
{
	char device[w->page], anonymous[w->page];
	unsigned long page;
	long got, want;

	for (page = at; page < at + pages; page++) {
		got = copy(w, device, w->page,
			   address(w, &w->arenas[DEVICE], page), false);
		want = copy(w, anonymous, w->page,
			    address(w, &w->arenas[REFERENCE], page), false);
		if (got != want || (got > 0 && memcmp(device, anonymous, got)))
			return page;
	}
	return -1;
}
