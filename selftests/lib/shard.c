// SPDX-License-Identifier: GPL-2.0-only
#include "shard.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backing.h"
#include "module.h"
#include "proc.h"

#define PATIENCE	500	/* times 10 ms */

long shard_step(void)
{
	static long step;
	int fd;

	if (!step) {
		step = -module_use_count();
		fd = open(backing_sharded.path, O_RDONLY | O_CLOEXEC);
		step += module_use_count();
		close(fd);
	}
	return step;
}

bool shard_files_become(long count)
{
	int i;

	for (i = 0; i < PATIENCE; i++) {
		if (module_use_count() == count)
			return true;
		usleep(10000);
	}
	return false;
}

bool shard_settle(int fd)
{
	long before = module_use_count(), step = shard_step();
	void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	bool ret;

	if (map == MAP_FAILED)
		return false;
	ret = shard_files_become(before + step);
	munmap(map, 4096);
	return ret;
}

/* Appends the lines of the VMA's entry in smaps, but for the first. */
static bool append_smaps(FILE *out, unsigned long start)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long from, to;
	bool here = false, any = false;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = from == start;
		else if (here)
			any = fputs(line, out) >= 0;
	}
	if (smaps)
		fclose(smaps);
	return any;
}

/* Returns the path from the node's name on, as directories may differ. */
static const char *from_node(const char *path, const char *node)
{
	return strstr(path, node) ?: path;
}

static void replace_node(char *text, const char *node)
{
	size_t len = strlen(node);
	char *at;

	while ((at = strstr(text, node))) {
		memcpy(at, "NODE", 4);
		memmove(at + 4, at + len, strlen(at + len) + 1);
	}
}

bool proc_all_text(const void *addr, const char *node, char *text, size_t size)
{
	char numa[512] = "no numa_maps", target[256] = "";
	FILE *out = fmemopen(text, size, "w");
	struct vma vma;
	bool ret;

	if (!out || !proc_vma(addr, &vma))
		return false;
	fprintf(out, "%lx-%lx %s %lx %s\n", vma.start, vma.end, vma.perms,
		vma.offset, from_node(vma.name, node));
	ret = append_smaps(out, vma.start) &&
	      !proc_map_files(&vma, target, sizeof(target));
	proc_numa_line(addr, numa, sizeof(numa));
	fprintf(out, "%s\n%s\n", from_node(target, node), numa);
	fclose(out);
	replace_node(text, node);
	return ret;
}
