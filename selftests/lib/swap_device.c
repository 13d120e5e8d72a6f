// SPDX-License-Identifier: GPL-2.0-only
#include "swap_device.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/swap.h>
#include <unistd.h>

#include "loop_device.h"

#define SWAP_SIZE	(4UL << 20)

int swap_device_open(char *path, size_t size)
{
	int fd = loop_device_open(SWAP_SIZE, 0), plain;
	unsigned int header[3] = { 1, SWAP_SIZE / 4096 - 1, 0 };
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, size - 1);
	if (fd < 0 || len < 0)
		return -1;
	path[len] = '\0';
	plain = open(path, O_WRONLY | O_CLOEXEC);
	if (pwrite(plain, header, sizeof(header), 1024) != sizeof(header) ||
	    pwrite(plain, "SWAPSPACE2", 10, 4096 - 10) != 10)
		len = -1;
	close(plain);
	return len < 0 || swapon(path, 0) ? -1 : fd;
}
