// SPDX-License-Identifier: GPL-2.0-only
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "array_size.h"
#include "origin.h"
#include "proc.h"

const char *module_path(void)
{
	static const char *const places[] = {
		"/lib/modules/%s/extra/anonzero.ko",
		"/lib/modules/%s/updates/anonzero.ko",
		"/lib/modules/%s/updates/dkms/anonzero.ko",
		"/lib/modules/%s/kernel/drivers/char/anonzero/anonzero.ko",
		"/lib/modules/anonzero.ko",
	};
	static char path[256];
	struct utsname uts;
	size_t i;

	if (getenv("ANONZERO_KO"))
		return getenv("ANONZERO_KO");
	uname(&uts);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), places[i], uts.release);
		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

const char *module_parameters(void)
{
	return getenv("ANONZERO_PARAMETERS") ?: "variants=1";
}

int module_load(const char *parameters)
{
	int fd = open(module_path(), O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return errno;
	ret = syscall(__NR_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return ret;
}

int module_unload(void)
{
	return syscall(__NR_delete_module, "anonzero", O_NONBLOCK) ? errno : 0;
}

int module_unload_patiently(void)
{
	int ret, i;

	for (i = 0; i < 10000; i++) {
		ret = module_unload();
		if (ret != EWOULDBLOCK)
			break;
		usleep(1000);
	}
	return ret;
}

bool module_loaded(void)
{
	return !access("/sys/module/anonzero", F_OK);
}

const char *module_load_or_reason(void)
{
	if (geteuid())
		return "needs root to load the module";
	if (!module_path())
		return "there is no anonzero.ko: make install, or set ANONZERO_KO";
	if (!module_loaded() && module_load(module_parameters()))
		return "the module does not load";
	return NULL;
}

static int open_parameter(const char *parameter, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/anonzero/parameters/%s",
		 parameter);
	return open(path, flags | O_CLOEXEC);
}

bool module_is_on(const char *parameter)
{
	int fd = open_parameter(parameter, O_RDONLY);
	char value = 'N';

	if (fd < 0)
		return false;
	if (read(fd, &value, 1) != 1)
		value = 'N';
	close(fd);
	return value == 'Y';
}

int module_switch(const char *parameter, bool on)
{
	int fd = open_parameter(parameter, O_WRONLY);
	int ret;

	if (fd < 0)
		return errno;
	ret = write(fd, on ? "1" : "0", 1) == 1 ? 0 : errno;
	close(fd);
	return ret;
}

bool core_makes_zero_anonymous(void)
{
	static int known = -1;

	/* To look for a symbol takes long, and the kernel stays what it is. */
	if (known < 0)
		known = kernel_at_least(7, 3) &&
			proc_symbol("file_is_dev_zero", NULL);
	return known;
}

enum module_way module_way(void)
{
	if (!module_loaded())
		return WAY_HOOK;
	if (core_makes_zero_anonymous())
		return WAY_CORE;
	return origin_hybrids() < 0 ? WAY_HOOK : WAY_PROBE;
}

struct switches switches_read(void)
{
	return (struct switches) {
		.merge = module_is_on("merge"), .adopt = module_is_on("adopt"),
	};
}

int switches_set(struct switches to)
{
	return module_switch("merge", to.merge) ?:
	       module_switch("adopt", to.adopt);
}

long module_use_count(void)
{
	return proc_number("/sys/module/anonzero/refcnt");
}

bool module_is_counted(void)
{
	return !access("/sys/module/anonzero/refcnt", F_OK);
}

int log_mark(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

int log_lines(int fd)
{
	char line[4096];
	ssize_t len;
	int n = 0;

	/* EPIPE says that the next lines were overwritten: read the ones after. */
	while ((len = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		if (len <= 0)
			continue;
		line[len] = '\0';
		n += !!strstr(line, ";anonzero: ");
	}
	return n;
}
