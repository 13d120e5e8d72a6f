// SPDX-License-Identifier: GPL-2.0-only
#include "comparison.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc.h"
#include "uffd.h"
#include "vma_name.h"
#include "zeropage.h"

#define PAGES		16
#define DIRTY_PAGES	4
#define ADJACENT	8
#define OFFSET_PAGES	5

/**
 * struct subject - what a question is asked of
 * @fd: descriptor of the backing, or -1
 * @area: where it is mapped
 * @page_size: bytes
 */
struct subject {
	int fd;
	char *area;
	size_t page_size;
};

static void say(struct cell *cell, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(cell->text, sizeof(cell->text), format, args);
	va_end(args);
	cell->kind = WORDS;
}

static void say_number(struct cell *cell, long number)
{
	say(cell, "%ld", number);
	cell->kind = NUMBER;
}

static void say_none(struct cell *cell, const char *reason)
{
	say(cell, "%s", reason);
	cell->kind = NONE;
}

static void say_errno(struct cell *cell, int error)
{
	const char *name = strerrorname_np(error);

	say(cell, "%s", !error ? "ok" : name ? name : strerror(error));
}

static void ask_maps(const struct subject *s, struct cell *cell)
{
	struct vma vma;

	/* Not vma.line: that pads the column before the name with blanks. */
	if (proc_vma(s->area, &vma))
		say(cell, "%lx-%lx %s %08lx %02x:%02x %lu%s%s", vma.start,
		    vma.end, vma.perms, vma.offset, vma.major, vma.minor,
		    vma.inode, *vma.name ? " " : "", vma.name);
	else
		say_none(cell, "no /proc/self/maps");
}

static void ask_smaps(const struct subject *s, struct cell *cell,
		      const char *field)
{
	char value[512];

	if (proc_smaps_field(s->area, field, value, sizeof(value)))
		say(cell, "%s", value);
	else
		say_none(cell, "not in this kernel's smaps");
}

static void ask_size(const struct subject *s, struct cell *cell)
{
	ask_smaps(s, cell, "Size");
}

static void ask_rss(const struct subject *s, struct cell *cell)
{
	ask_smaps(s, cell, "Rss");
}

static void ask_anonymous(const struct subject *s, struct cell *cell)
{
	ask_smaps(s, cell, "Anonymous");
}

static void ask_private_dirty(const struct subject *s, struct cell *cell)
{
	ask_smaps(s, cell, "Private_Dirty");
}

static void ask_vm_flags(const struct subject *s, struct cell *cell)
{
	ask_smaps(s, cell, "VmFlags");
}

static void ask_map_files(const struct subject *s, struct cell *cell)
{
	char target[256];
	struct vma vma;

	if (!proc_vma(s->area, &vma))
		say_none(cell, "no /proc/self/maps");
	else if (!proc_map_files(&vma, target, sizeof(target)))
		say(cell, "-> %s", target);
	else if (errno == ENOENT && !access("/proc/self/map_files", F_OK))
		say(cell, "no entry");
	else
		say_none(cell, strerror(errno));
}

static void ask_numa(const struct subject *s, struct cell *cell)
{
	char line[512];

	if (!proc_numa_line(s->area, line, sizeof(line)))
		say(cell, "%s", line);
	else
		say_none(cell, "this kernel has no NUMA");
}

static void ask_zero_pages(const struct subject *s, struct cell *cell)
{
	long n = zeropage_count_own(s->area, PAGES * s->page_size);

	if (n >= 0)
		say_number(cell, n);
	else
		say_none(cell, "needs root: /proc/kpageflags");
}

/* Leaves its mappings for the next question to look at. */
static void ask_adjacent(const struct subject *s, struct cell *cell)
{
	int i;

	munmap(s->area, PAGES * s->page_size);
	for (i = 0; i < ADJACENT; i++) {
		if (backing_map(s->fd, s->area + i * s->page_size, s->page_size,
				PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
				0) == MAP_FAILED) {
			say_none(cell, strerror(errno));
			return;
		}
	}
	say_number(cell, proc_count_vmas(s->area, ADJACENT * s->page_size));
}

static void ask_adjacent_mprotect(const struct subject *s, struct cell *cell)
{
	size_t len = ADJACENT * s->page_size;

	if (mprotect(s->area, len, PROT_READ) ||
	    mprotect(s->area, len, PROT_READ | PROT_WRITE))
		say_none(cell, strerror(errno));
	else
		say_number(cell, proc_count_vmas(s->area, len));
}

static void ask_zeropage(const struct subject *s, struct cell *cell)
{
	int error = uffd_fill_page(s->area, UFFD_ZEROPAGE);

	if (error == ENOSYS)
		say_none(cell, "this kernel has no userfaultfd");
	else if (error == EPERM)
		say_none(cell, "userfaultfd is not permitted here");
	else
		say_errno(cell, error);
}

static void ask_wipeonfork(const struct subject *s, struct cell *cell)
{
	say_errno(cell, madvise(s->area, s->page_size, MADV_WIPEONFORK) ? errno : 0);
}

static void ask_remove(const struct subject *s, struct cell *cell)
{
	say_errno(cell, madvise(s->area, s->page_size, MADV_REMOVE) ? errno : 0);
}

static void ask_name(const struct subject *s, struct cell *cell)
{
	if (kernel_has_names())
		say_errno(cell, vma_set_name(s->area, s->page_size, "zerocmp"));
	else
		say_none(cell, "this kernel lacks CONFIG_ANON_VMA_NAME");
}

static void read_all(const struct subject *s)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		(void)*(volatile char *)(s->area + i * s->page_size);
}

static void dirty_some(const struct subject *s)
{
	memset(s->area, 1, DIRTY_PAGES * s->page_size);
}

const struct question questions[NR_QUESTIONS] = {
	{ "maps", "maps", ask_maps },
	{ "zero pages of 16 read", "zero_pages", ask_zero_pages, read_all },
	{ "smaps Size", "smaps_size", ask_size, dirty_some },
	{ "smaps Rss", "smaps_rss", ask_rss },
	{ "smaps Anonymous", "smaps_anonymous", ask_anonymous },
	{ "smaps Private_Dirty", "smaps_private_dirty", ask_private_dirty },
	{ "smaps VmFlags", "smaps_vm_flags", ask_vm_flags },
	{ "map_files", "map_files", ask_map_files },
	{ "numa_maps", "numa_maps", ask_numa },
	{ "VMAs of 8 adjacent", "adjacent_vmas", ask_adjacent },
	{ "  after mprotect", "adjacent_vmas_mprotect", ask_adjacent_mprotect },
	{ "UFFDIO_ZEROPAGE", "uffdio_zeropage", ask_zeropage },
	{ "MADV_WIPEONFORK", "madv_wipeonfork", ask_wipeonfork },
	{ "MADV_REMOVE", "madv_remove", ask_remove },
	{ "PR_SET_VMA_ANON_NAME", "pr_set_vma_anon_name", ask_name },
};

size_t area_size(void)
{
	return PAGES * sysconf(_SC_PAGESIZE);
}

int ask_all(struct column *column, char *area)
{
	struct subject s = {
		.fd = backing_open(&column->backing, O_RDWR),
		.area = area,
		.page_size = sysconf(_SC_PAGESIZE),
	};
	size_t i;

	if (s.fd < 0 && errno)
		return -1;
	if (backing_map(s.fd, area, area_size(), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_FIXED_NOREPLACE,
			OFFSET_PAGES * s.page_size) == MAP_FAILED)
		return -1;
	for (i = 0; i < NR_QUESTIONS; i++) {
		if (questions[i].prepare)
			questions[i].prepare(&s);
		questions[i].ask(&s, &column->cells[i]);
	}
	munmap(area, area_size());
	if (s.fd >= 0)
		close(s.fd);
	return 0;
}
