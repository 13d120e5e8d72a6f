// SPDX-License-Identifier: GPL-2.0-only
#include "coredump.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"

#define CORE_PATTERN "/proc/sys/kernel/core_pattern"

static int read_pattern(char *pattern, size_t size)
{
	FILE *file = fopen(CORE_PATTERN, "re");
	bool ok;

	if (!file)
		return -1;
	ok = fgets(pattern, size, file);
	fclose(file);
	return ok ? 0 : -1;
}

static int run_child(void (*child)(void *arg), void *arg)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		setrlimit(RLIMIT_CORE, &unlimited);
		proc_write("/proc/self/coredump_filter", COREDUMP_FILTER);
		child(arg);
		abort();
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WCOREDUMP(status) ? 0 : -1;
}

int coredump_take(struct coredump *dump, void (*child)(void *arg), void *arg)
{
	int ret;

	/* With no %p in it, and core_uses_pid=0, this is the file's whole name. */
	snprintf(dump->path, sizeof(dump->path), "/tmp/anonzero-core.%d", getpid());
	if (read_pattern(dump->old_pattern, sizeof(dump->old_pattern)) ||
	    proc_write(CORE_PATTERN, dump->path))
		return -1;
	ret = run_child(child, arg);
	proc_write(CORE_PATTERN, dump->old_pattern);
	return ret;
}

/* Maps the core file, and sets *size to its size. */
static const char *map_core(const struct coredump *dump, size_t *size)
{
	int fd = open(dump->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *core;

	if (fd < 0)
		return NULL;
	fstat(fd, &st);
	core = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*size = st.st_size;
	return core == MAP_FAILED ? NULL : core;
}

ssize_t coredump_bytes(const struct coredump *dump, const void *addr)
{
	size_t size;
	const char *core = map_core(dump, &size);
	const Elf64_Ehdr *ehdr = (const void *)core;
	const Elf64_Phdr *phdr;
	ssize_t bytes = -1;
	int i;

	if (!core)
		return -1;
	phdr = (const void *)(core + ehdr->e_phoff);
	for (i = 0; i < ehdr->e_phnum; i++, phdr++) {
		if (phdr->p_type == PT_LOAD &&
		    (uintptr_t)addr - phdr->p_vaddr < phdr->p_memsz)
			bytes = phdr->p_filesz;
	}
	munmap((void *)core, size);
	return bytes;
}

/* NT_FILE is a count, the page size, then start, end and offset of each file. */
static bool note_lists(const __u64 *note, const void *addr)
{
	__u64 i;

	for (i = 0; i < note[0]; i++) {
		if (note[2 + 3 * i] == (uintptr_t)addr)
			return true;
	}
	return false;
}

static bool notes_list(const char *notes, size_t size, const void *addr)
{
	const char *end = notes + size;

	while (notes + sizeof(Elf64_Nhdr) < end) {
		const Elf64_Nhdr *nhdr = (const void *)notes;
		const char *name = notes + sizeof(*nhdr);
		const char *desc = name + ((nhdr->n_namesz + 3) & ~3U);

		if (nhdr->n_type == NT_FILE)
			return note_lists((const void *)desc, addr);
		notes = desc + ((nhdr->n_descsz + 3) & ~3U);
	}
	return false;
}

bool coredump_lists_file(const struct coredump *dump, const void *addr)
{
	size_t size;
	const char *core = map_core(dump, &size);
	const Elf64_Ehdr *ehdr = (const void *)core;
	const Elf64_Phdr *phdr;
	bool listed = false;
	int i;

	if (!core)
		return false;
	phdr = (const void *)(core + ehdr->e_phoff);
	for (i = 0; i < ehdr->e_phnum; i++, phdr++) {
		if (phdr->p_type == PT_NOTE)
			listed |= notes_list(core + phdr->p_offset,
					     phdr->p_filesz, addr);
	}
	munmap((void *)core, size);
	return listed;
}

void coredump_drop(const struct coredump *dump)
{
	unlink(dump->path);
}
