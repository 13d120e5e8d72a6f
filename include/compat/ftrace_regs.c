// SPDX-License-Identifier: GPL-2.0-only
/* ftrace hands over struct ftrace_regs; before, it was struct pt_regs. */
#include <linux/ftrace.h>

static void probe(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

ftrace_func_t test = probe;
