// SPDX-License-Identifier: GPL-2.0-only
#include "loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int filled_file(size_t size, int fill)
{
	int fd = memfd_create("anonzero", MFD_CLOEXEC);
	char buffer[size];

	memset(buffer, fill, size);
	if (fd >= 0 && write(fd, buffer, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

static int free_device(char *path, size_t size)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int n;

	if (control < 0)
		return -1;
	n = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	snprintf(path, size, "/dev/loop%d", n);
	return n < 0 ? -1 : 0;
}

int loop_device_open(size_t size, int fill)
{
	struct loop_config config = {
		.info.lo_flags = LO_FLAGS_AUTOCLEAR,
	};
	char path[32];
	int device;

	if (free_device(path, sizeof(path)))
		return -1;
	device = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	config.fd = filled_file(size, fill);
	if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config)) {
		close(device);
		device = -1;
	}
	close(config.fd);
	return device;
}
