// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"

/* Where the kernel's image is in physical memory, or 0. */
static unsigned long image_start(void)
{
	FILE *iomem = fopen("/proc/iomem", "re");
	unsigned long start = 0;
	char line[256];

	while (iomem && fgets(line, sizeof(line), iomem) &&
	       !strstr(line, ": Kernel code"))
		;
	if (iomem && strstr(line, ": Kernel code") &&
	    sscanf(line, "%lx-", &start) != 1)
		start = 0;
	if (iomem)
		fclose(iomem);
	return start;
}

/* The physical address of a symbol of the kernel's image, or 0. */
static unsigned long physical(const char *symbol)
{
	unsigned long at = 0, text = 0, start = image_start();

	if (!proc_symbol(symbol, &at) || !proc_symbol("_text", &text))
		return 0;
	return at && text && start ? at - text + start : 0;
}

int kernel_memory_read(const char *symbol)
{
	int fd = open("/dev/mem", O_RDONLY | O_CLOEXEC), value = -1;

	if (pread(fd, &value, sizeof(value), physical(symbol)) != sizeof(value))
		value = -1;
	close(fd);
	return value;
}

int kernel_memory_write(const char *symbol, int value)
{
	int fd = open("/dev/mem", O_WRONLY | O_CLOEXEC);
	ssize_t n = pwrite(fd, &value, sizeof(value), physical(symbol));

	close(fd);
	return n == sizeof(value) ? 0 : -1;
}

const char *kernel_memory_reason(const char *symbol)
{
	char byte;
	int fd;

	if (access("/dev/mem", R_OK | W_OK))
		return "this kernel has no /dev/mem, or this is not root";
	if (!physical(symbol))
		return "this kernel does not say where its variables are";
	fd = open("/dev/mem", O_RDONLY | O_CLOEXEC);
	if (pread(fd, &byte, 1, physical(symbol)) != 1) {
		close(fd);
		return "this kernel's /dev/mem does not reach its own memory";
	}
	close(fd);
	return NULL;
}
