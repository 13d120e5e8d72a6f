// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe behind merge and adopt, as ftrace has it: what is switched off leaves
 * nothing, and a probe that ftrace does not let go of keeps the module in memory.
 * ftrace refuses once it has disabled itself; a kernel with /dev/mem can be made
 * to think so, and to forget it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "backing.h"
#include "child.h"
#include "kernel_memory.h"
#include "module.h"
#include "proc.h"

#define RW		(PROT_READ | PROT_WRITE)
#define NR_SWITCHES	6
#define STATE		"/sys/module/anonzero/initstate"

FIXTURE(probe) {
	struct switches before;
};

FIXTURE_SETUP(probe)
{
	self->before = switches_read();
	if (geteuid() || !module_loaded())
		SKIP(return, "needs root, and the module");
	if (module_switch("adopt", true))
		SKIP(return, "this kernel has no probe: adopt=1 is refused");
	if (switches_set((struct switches){ }))
		SKIP(return, "the probe stays on: " ALWAYS_MERGED);
}

FIXTURE_TEARDOWN(probe)
{
	switches_set(self->before);
}

/* The trampolines that ftrace has made, as kallsyms lists them. */
static int count_trampolines(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512];
	int n = 0;

	while (symbols && fgets(line, sizeof(line), symbols))
		n += !!strstr(line, " ftrace_trampoline\t");
	if (symbols)
		fclose(symbols);
	return n;
}

static bool zero_is_anonymous(void)
{
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	char *map = mmap(NULL, 4096, RW, MAP_PRIVATE, fd, 0);
	bool ret = proc_is_anonymous(map);

	munmap(map, 4096);
	close(fd);
	return ret;
}

/* Also where the module is built in, and its data is the kernel's. */
TEST_F(probe, trampoline_goes)
{
	int before = count_trampolines(), i;

	ASSERT_EQ(0, module_switch("adopt", true));
	if (count_trampolines() == before)
		SKIP(return, "this kernel makes no trampoline for a probe");
	EXPECT_EQ(before + 1, count_trampolines());
	EXPECT_TRUE(zero_is_anonymous());
	for (i = 0; i < NR_SWITCHES; i++) {
		ASSERT_EQ(0, module_switch("adopt", false));
		EXPECT_FALSE(zero_is_anonymous());
		ASSERT_EQ(0, module_switch(i & 1 ? "merge" : "adopt", true));
		ASSERT_EQ(0, switches_set((struct switches){ }));
		ASSERT_EQ(0, module_switch("adopt", true));
		EXPECT_TRUE(zero_is_anonymous());
	}
	ASSERT_EQ(0, module_switch("adopt", false));
	EXPECT_EQ(before, count_trampolines());
}

/* ftrace in the state in which it neither adds nor removes a probe. */
FIXTURE(refusal) {
	struct switches before;
	bool broken;
};

FIXTURE_SETUP(refusal)
{
	const char *reason = kernel_memory_reason("ftrace_disabled");

	self->before = switches_read();
	if (!module_loaded() || !module_is_counted())
		SKIP(return, "needs the module, not built in");
	if (module_way() != WAY_HOOK)
		SKIP(return, "the probe stays on: " ALWAYS_MERGED);
	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, kernel_memory_read("ftrace_disabled"));
	ASSERT_EQ(0, module_switch("adopt", true));
	ASSERT_EQ(0, kernel_memory_write("ftrace_disabled", 1));
	self->broken = true;
}

FIXTURE_TEARDOWN(refusal)
{
	if (self->broken)
		kernel_memory_write("ftrace_disabled", 0);
	if (!module_loaded())
		module_load(module_parameters());
	switches_set(self->before);
}

/* Switched off, it does nothing any more, and the module is in use by itself. */
TEST_F(refusal, switched_off)
{
	int log = log_mark();

	EXPECT_TRUE(zero_is_anonymous());
	EXPECT_EQ(0, module_switch("adopt", false));
	EXPECT_EQ(2, log_lines(log));
	EXPECT_FALSE(zero_is_anonymous());
	EXPECT_EQ(EWOULDBLOCK, module_unload());
	EXPECT_EQ(EOPNOTSUPP, module_switch("adopt", true));
	EXPECT_FALSE(zero_is_anonymous());

	ASSERT_EQ(0, kernel_memory_write("ftrace_disabled", 0));
	EXPECT_EQ(0, module_switch("adopt", true));
	EXPECT_TRUE(zero_is_anonymous());
	EXPECT_EQ(0, module_switch("adopt", false));
	EXPECT_EQ(0, module_unload());
}

static bool state_becomes(const char *state)
{
	char line[32] = "";
	FILE *file;
	int i;

	for (i = 0; i < 500 && strncmp(line, state, strlen(state)); i++) {
		usleep(10000);
		file = fopen(STATE, "re");
		if (!file || !fgets(line, sizeof(line), file))
			line[0] = '\0';
		if (file)
			fclose(file);
	}
	return i < 500;
}

/* While it is being unloaded nothing holds it but that its exit does not return. */
TEST_F(refusal, unloaded)
{
	pid_t pid = fork();
	int i;

	if (!pid)
		_exit(module_unload());
	ASSERT_TRUE(state_becomes("going"));
	for (i = 0; i < 100; i++) {
		EXPECT_FALSE(zero_is_anonymous());
		usleep(10000);
	}
	EXPECT_TRUE(state_becomes("going"));
	ASSERT_EQ(0, kernel_memory_write("ftrace_disabled", 0));
	EXPECT_EQ(0, exit_status(pid));
	EXPECT_FALSE(module_loaded());
}

TEST_HARNESS_MAIN
