// SPDX-License-Identifier: GPL-2.0-only
#include "proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool parse_vma(const char *line, struct vma *vma)
{
	int name_at = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &vma->start, &vma->end,
		   vma->perms, &vma->offset, &vma->major, &vma->minor,
		   &vma->inode, &name_at) != 7)
		return false;
	snprintf(vma->name, sizeof(vma->name), "%s", line + name_at);
	vma->name[strcspn(vma->name, "\n")] = '\0';
	snprintf(vma->line, sizeof(vma->line), "%s", line);
	vma->line[strcspn(vma->line, "\n")] = '\0';
	return true;
}

/* Finds the VMA at an address in a file that has the lines of /proc/self/maps. */
static bool find_vma(const char *path, const void *addr, struct vma *vma)
{
	unsigned long at = (unsigned long)addr;
	FILE *maps = fopen(path, "re");
	bool found = false;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = parse_vma(line, vma) && vma->start <= at && at < vma->end;
	if (maps)
		fclose(maps);
	return found;
}

bool proc_vma(const void *addr, struct vma *vma)
{
	return find_vma("/proc/self/maps", addr, vma);
}

bool proc_smaps_vma(const void *addr, struct vma *vma)
{
	return find_vma("/proc/self/smaps", addr, vma);
}

bool proc_is_anonymous(const void *addr)
{
	struct vma vma;

	return proc_vma(addr, &vma) && !vma.inode && !*vma.name;
}

int proc_count_vmas(const void *addr, size_t len)
{
	unsigned long start = (unsigned long)addr, end = start + len;
	FILE *maps = fopen("/proc/self/maps", "re");
	struct vma vma;
	char line[512];
	int n = 0;

	if (!maps)
		return -1;
	while (fgets(line, sizeof(line), maps))
		n += parse_vma(line, &vma) && vma.start < end && vma.end > start;
	fclose(maps);
	return n;
}

bool proc_smaps(const void *addr, char *entry, size_t size)
{
	unsigned long at = (unsigned long)addr;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	bool here = false;
	struct vma vma;
	size_t n = 0;
	char line[512];

	*entry = '\0';
	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (parse_vma(line, &vma)) {
			if (here)
				break;
			here = vma.start <= at && at < vma.end;
		} else if (here && n + strlen(line) < size) {
			n += snprintf(entry + n, size - n, "%s", line);
		}
	}
	if (smaps)
		fclose(smaps);
	return here;
}

/* Copies the value without blanks around it, if the line is "field: value". */
static bool take_field(const char *line, const char *field, char *value,
		       size_t size)
{
	size_t n = strlen(field);

	if (strncmp(line, field, n) || line[n] != ':')
		return false;
	line += n + 1;
	line += strspn(line, " \t");
	for (n = strcspn(line, "\n"); n && isspace(line[n - 1]); n--)
		;
	snprintf(value, size, "%.*s", (int)n, line);
	return true;
}

bool smaps_field(const char *entry, const char *field, char *value, size_t size)
{
	while (*entry && !take_field(entry, field, value, size)) {
		entry += strcspn(entry, "\n");
		entry += *entry == '\n';
	}
	return *entry;
}

bool proc_smaps_field(const void *addr, const char *field, char *value,
		      size_t size)
{
	char entry[4096];

	return proc_smaps(addr, entry, sizeof(entry)) &&
	       smaps_field(entry, field, value, size);
}

long proc_smaps_kb(const void *addr, const char *field)
{
	char value[64];

	if (!proc_smaps_field(addr, field, value, sizeof(value)))
		return -1;
	return strtol(value, NULL, 10);
}

int proc_numa_line(const void *start, char *line, size_t size)
{
	FILE *numa = fopen("/proc/self/numa_maps", "re");
	char buffer[512];
	int rest = 0;
	unsigned long at;

	if (!numa)
		return -1;
	while (fgets(buffer, sizeof(buffer), numa)) {
		if (sscanf(buffer, "%lx %n", &at, &rest) != 1 ||
		    at != (unsigned long)start)
			continue;
		snprintf(line, size, "%s", buffer + rest);
		line[strcspn(line, "\n")] = '\0';
		fclose(numa);
		return 0;
	}
	fclose(numa);
	errno = ENOENT;
	return -1;
}

int proc_map_files(const struct vma *vma, char *target, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", vma->start,
		 vma->end);
	n = readlink(path, target, size - 1);
	if (n < 0)
		return -1;
	target[n] = '\0';
	return 0;
}

long proc_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long number = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

long proc_slab(const char *cache, long *size)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	long active, bytes, found = -1;
	char line[512], name[64];

	while (file && found < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %ld %*d %ld", name, &active, &bytes) != 3 ||
		    strcmp(name, cache))
			continue;
		found = active;
		if (size)
			*size = bytes;
	}
	if (file)
		fclose(file);
	return found;
}

void proc_slab_shrink(const char *cache)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	proc_write(path, "1");
}

static int write_text(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	ssize_t len = strlen(text);
	int ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, len) == len ? 0 : -1;
	close(fd);
	return ret;
}

int proc_write(const char *path, const char *text)
{
	return write_text(path, O_TRUNC, text);
}

int proc_append(const char *path, const char *text)
{
	return write_text(path, O_APPEND, text);
}

bool proc_symbol(const char *name, unsigned long *address)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], symbol[128];
	unsigned long value = 0;
	bool found = false;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = sscanf(line, "%lx %*c %127s", &value, symbol) == 2 &&
			!strcmp(symbol, name);
	if (symbols)
		fclose(symbols);
	if (found && address)
		*address = value;
	return found;
}

bool kernel_at_least(int major, int minor)
{
	int has_major, has_minor;
	struct utsname uts;

	uname(&uts);
	if (sscanf(uts.release, "%d.%d", &has_major, &has_minor) != 2)
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}
