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
 * struct mapping - the mapping that is looked at
 * @fd: descriptor of the backing, or -1
 * @area: where it is mapped
 * @page_size: bytes of a page
 */
struct mapping {
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

static void fill_maps(const struct mapping *m, struct cell *cell)
{
	struct vma vma;

	/* vma.line has many blanks before the name, so print each field. */
	if (proc_vma(m->area, &vma))
		say(cell, "%lx-%lx %s %08lx %02x:%02x %lu%s%s", vma.start,
		    vma.end, vma.perms, vma.offset, vma.major, vma.minor,
		    vma.inode, *vma.name ? " " : "", vma.name);
	else
		say_none(cell, "no /proc/self/maps");
}

static void fill_smaps(const struct mapping *m, struct cell *cell,
		       const char *field)
{
	char value[512];

	if (proc_smaps_field(m->area, field, value, sizeof(value)))
		say(cell, "%s", value);
	else
		say_none(cell, "not in this kernel's smaps");
}

static void fill_size(const struct mapping *m, struct cell *cell)
{
	fill_smaps(m, cell, "Size");
}

static void fill_rss(const struct mapping *m, struct cell *cell)
{
	fill_smaps(m, cell, "Rss");
}

static void fill_anonymous(const struct mapping *m, struct cell *cell)
{
	fill_smaps(m, cell, "Anonymous");
}

static void fill_private_dirty(const struct mapping *m, struct cell *cell)
{
	fill_smaps(m, cell, "Private_Dirty");
}

static void fill_vm_flags(const struct mapping *m, struct cell *cell)
{
	fill_smaps(m, cell, "VmFlags");
}

static void fill_map_files(const struct mapping *m, struct cell *cell)
{
	char target[256];
	struct vma vma;

	if (!proc_vma(m->area, &vma))
		say_none(cell, "no /proc/self/maps");
	else if (!proc_map_files(&vma, target, sizeof(target)))
		say(cell, "-> %s", target);
	else if (errno == ENOENT && !access("/proc/self/map_files", F_OK))
		say(cell, "no entry");
	else
		say_none(cell, strerror(errno));
}

static void fill_numa(const struct mapping *m, struct cell *cell)
{
	char line[512];

	if (!proc_numa_line(m->area, line, sizeof(line)))
		say(cell, "%s", line);
	else
		say_none(cell, "this kernel has no NUMA");
}

static void fill_zero_pages(const struct mapping *m, struct cell *cell)
{
	long n = zeropage_count_own(m->area, PAGES * m->page_size);

	if (n >= 0)
		say_number(cell, n);
	else
		say_none(cell, "needs root: /proc/kpageflags");
}

/* Leaves its mappings for the next row to look at. */
static void fill_adjacent(const struct mapping *m, struct cell *cell)
{
	int i;

	munmap(m->area, PAGES * m->page_size);
	for (i = 0; i < ADJACENT; i++) {
		if (backing_map(m->fd, m->area + i * m->page_size, m->page_size,
				PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
				0) == MAP_FAILED) {
			say_none(cell, strerror(errno));
			return;
		}
	}
	say_number(cell, proc_count_vmas(m->area, ADJACENT * m->page_size));
}

static void fill_adjacent_mprotect(const struct mapping *m, struct cell *cell)
{
	size_t len = ADJACENT * m->page_size;

	if (mprotect(m->area, len, PROT_READ) ||
	    mprotect(m->area, len, PROT_READ | PROT_WRITE))
		say_none(cell, strerror(errno));
	else
		say_number(cell, proc_count_vmas(m->area, len));
}

static void fill_zeropage(const struct mapping *m, struct cell *cell)
{
	int error = uffd_fill_page(m->area, UFFD_ZEROPAGE);

	if (error == ENOSYS)
		say_none(cell, "this kernel has no userfaultfd");
	else if (error == EPERM)
		say_none(cell, "userfaultfd is not permitted here");
	else
		say_errno(cell, error);
}

static void fill_wipeonfork(const struct mapping *m, struct cell *cell)
{
	say_errno(cell, madvise(m->area, m->page_size, MADV_WIPEONFORK) ? errno : 0);
}

static void fill_remove(const struct mapping *m, struct cell *cell)
{
	say_errno(cell, madvise(m->area, m->page_size, MADV_REMOVE) ? errno : 0);
}

static void fill_name(const struct mapping *m, struct cell *cell)
{
	if (kernel_has_names())
		say_errno(cell, vma_set_name(m->area, m->page_size, "zerocmp"));
	else
		say_none(cell, "this kernel lacks CONFIG_ANON_VMA_NAME");
}

static void read_all(const struct mapping *m)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		(void)*(volatile char *)(m->area + i * m->page_size);
}

static void dirty_some(const struct mapping *m)
{
	memset(m->area, 1, DIRTY_PAGES * m->page_size);
}

const struct comparison_row comparison_rows[NR_COMPARISON_ROWS] = {
	{ "maps", "maps", fill_maps },
	{ "zero pages of 16 read", "zero_pages", fill_zero_pages, read_all },
	{ "smaps Size", "smaps_size", fill_size, dirty_some },
	{ "smaps Rss", "smaps_rss", fill_rss },
	{ "smaps Anonymous", "smaps_anonymous", fill_anonymous },
	{ "smaps Private_Dirty", "smaps_private_dirty", fill_private_dirty },
	{ "smaps VmFlags", "smaps_vm_flags", fill_vm_flags },
	{ "map_files", "map_files", fill_map_files },
	{ "numa_maps", "numa_maps", fill_numa },
	{ "VMAs of 8 adjacent", "adjacent_vmas", fill_adjacent },
	{ "  after mprotect", "adjacent_vmas_mprotect", fill_adjacent_mprotect },
	{ "UFFDIO_ZEROPAGE", "uffdio_zeropage", fill_zeropage },
	{ "MADV_WIPEONFORK", "madv_wipeonfork", fill_wipeonfork },
	{ "MADV_REMOVE", "madv_remove", fill_remove },
	{ "PR_SET_VMA_ANON_NAME", "pr_set_vma_anon_name", fill_name },
};

size_t column_area_size(void)
{
	return PAGES * sysconf(_SC_PAGESIZE);
}

int fill_column(struct column *column, char *area)
{
	struct mapping m = {
		.fd = backing_open(&column->backing, O_RDWR),
		.area = area,
		.page_size = sysconf(_SC_PAGESIZE),
	};
	size_t i;

	if (m.fd < 0 && errno)
		return -1;
	if (backing_map(m.fd, area, column_area_size(), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_FIXED_NOREPLACE,
			OFFSET_PAGES * m.page_size) == MAP_FAILED)
		return -1;
	for (i = 0; i < NR_COMPARISON_ROWS; i++) {
		if (comparison_rows[i].prepare)
			comparison_rows[i].prepare(&m);
		comparison_rows[i].fill(&m, &column->cells[i]);
	}
	munmap(area, column_area_size());
	if (m.fd >= 0)
		close(m.fd);
	return 0;
}
