// SPDX-License-Identifier: GPL-2.0-only
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array_size.h"

#define MAX_REQUESTS	32768
#define PAGE		4096UL
#define FIRST_FLAG	0x10UL		/* the bits below are the type */
#define LAST_FLAG	0x80000000UL
#define FIXED		(MAP_FIXED | MAP_FIXED_NOREPLACE)
#define PRESENT		(MAP_POPULATE | MAP_LOCKED)

static struct request requests[MAX_REQUESTS];
static size_t nr_requests, nr_offered, one_in;
static char *free_area, *taken_area;

/* Others are left out: they would unmap more than the area, or fill memory. */
static bool is_harmless(const struct request *r)
{
	if (r->len <= REQUESTS_AREA / 2 || r->len > 1UL << 47)
		return true;
	return !(r->flags & (FIXED | PRESENT));
}

static void add(int mode, char *addr, size_t len, unsigned long prot,
		unsigned long flags, unsigned long offset)
{
	struct request r = { mode, addr, len, prot, flags, offset };

	if (!addr && flags & FIXED)
		r.addr = free_area;
	if (!is_harmless(&r) || nr_offered++ % one_in)
		return;
	if (nr_requests == MAX_REQUESTS)
		abort();
	requests[nr_requests++] = r;
}

/* Adds every type with every flag bit, and with every two of them. */
static void add_flags(void)
{
	static const unsigned long types[] = {
		0, MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, 8, 15,
	};
	static const unsigned long prots[] = {
		PROT_READ, PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	unsigned long one, two;
	size_t t, p;

	for (one = FIRST_FLAG; one <= LAST_FLAG; one <<= 1) {
		for (two = one; two <= LAST_FLAG; two <<= 1) {
			for (t = 0; t < ARRAY_SIZE(types); t++) {
				for (p = 0; p < ARRAY_SIZE(prots); p++)
					add(O_RDONLY, NULL, 2 * PAGE, prots[p],
					    types[t] | one | two, 0);
			}
			add(O_WRONLY, NULL, 2 * PAGE, PROT_WRITE,
			    MAP_PRIVATE | one | two, 0);
		}
	}
}

/* Adds private mappings with these flags: protections, lengths and offsets. */
static void add_sizes(unsigned long flags)
{
	static const unsigned long prots[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_EXEC,
		PROT_READ | PROT_EXEC,
	};
	static const size_t lens[] = {
		0, 1, 2 * PAGE, 2UL << 20, 1UL << 40, -2 * PAGE, -1UL,
	};
	static const unsigned long offsets[] = {
		0, 1, PAGE, 1UL << 40, 1UL << 63, -PAGE, -2 * PAGE, -3 * PAGE,
	};
	size_t p, l, o;

	for (p = 0; p < ARRAY_SIZE(prots); p++) {
		for (l = 0; l < ARRAY_SIZE(lens); l++) {
			for (o = 0; o < ARRAY_SIZE(offsets); o++)
				add(O_RDONLY, NULL, lens[l], prots[p],
				    MAP_PRIVATE | flags, offsets[o]);
		}
	}
}

/* Adds open modes, protections with bits that mean nothing, and addresses. */
static void add_rest(unsigned long flags)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	static const unsigned long more[] = {
		0, PROT_SEM, PROT_GROWSDOWN, PROT_GROWSUP, 0x10, 1UL << 40,
	};
	char *const addrs[] = {
		NULL, free_area, taken_area, free_area + 1, (char *)PAGE,
		(char *)-PAGE,
	};
	unsigned long prot;
	size_t m, i;

	for (prot = 0; prot < 8; prot++) {
		for (m = 0; m < ARRAY_SIZE(modes); m++) {
			add(modes[m], NULL, PAGE, prot, MAP_PRIVATE | flags, 0);
			add(modes[m], NULL, PAGE, prot, MAP_SHARED | flags, 0);
		}
		for (i = 0; i < ARRAY_SIZE(more); i++)
			add(O_RDWR, NULL, PAGE, prot | more[i],
			    MAP_PRIVATE | flags, 0);
		for (i = 0; i < ARRAY_SIZE(addrs); i++)
			add(O_RDWR, addrs[i], PAGE, prot, MAP_PRIVATE | flags, 0);
	}
}

const struct request *requests_make(char *area, size_t every, size_t *n)
{
	unsigned long flag;

	nr_requests = 0;
	nr_offered = 0;
	one_in = every;
	taken_area = area;
	free_area = area + REQUESTS_AREA / 2;
	add_flags();
	add_sizes(0);
	add_rest(0);
	for (flag = FIRST_FLAG; flag <= LAST_FLAG; flag <<= 1) {
		add_sizes(flag);
		add_rest(flag);
	}
	*n = nr_requests;
	return requests;
}

/* Makes the system call itself, as libc would look at the offset first. */
static struct answer ask(const struct request *r, int fd)
{
	long ret = syscall(__NR_mmap, r->addr, r->len, r->prot, r->flags, fd,
			   r->offset);

	if (ret == -1)
		return (struct answer) { .error = errno };
	munmap((void *)ret, r->len);
	if ((char *)ret == taken_area)
		mmap(taken_area, REQUESTS_AREA / 2, PROT_NONE, MAP_PRIVATE |
		     MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	return (struct answer) { .addr = (char *)ret };
}

void requests_ask(const struct request *table, size_t n, const int fds[3],
		  struct answer *answers)
{
	size_t i;

	for (i = 0; i < n; i++)
		answers[i] = ask(&table[i], fds[table[i].mode]);
}
