// SPDX-License-Identifier: GPL-2.0-only
#include "cpu.h"

#include <sched.h>

int pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}
