/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between processors: where the arguments of do_mmap() are when
 * it is entered. An architecture is added here; without it merge and adopt are
 * refused, and the rest works.
 */
#ifndef ANONZERO_ARCH_H
#define ANONZERO_ARCH_H

#include <linux/ftrace.h>

#include "compat.h"

/* What ftrace hands over to a callback, and the flag without which it does not. */
#ifdef HAVE_FTRACE_REGS
#define arch_fregs ftrace_regs
#else
#define arch_fregs pt_regs
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define ARCH_FTRACE_FLAGS 0
#define ARCH_FINDS_ARGUMENTS
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define ARCH_FTRACE_FLAGS FTRACE_OPS_FL_SAVE_REGS
#define ARCH_FINDS_ARGUMENTS
#else
#define ARCH_FTRACE_FLAGS 0
#endif

/**
 * struct arch_do_mmap - where the arguments of a call of do_mmap() are
 * @file: the file to map, or NULL
 * @len: bytes, as the caller of mmap(2) gave them
 * @flags: MAP_*
 * @pgoff: page offset into the file
 */
struct arch_do_mmap {
	unsigned long *file;
	unsigned long *len;
	unsigned long *flags;
	unsigned long *pgoff;
};

/**
 * arch_knows_do_mmap() - whether arch_do_mmap_call() finds the arguments
 *
 * Context: any.
 * Return: false on an architecture that is not in it, where ftrace does not hand
 * over arguments, and where do_mmap() has other ones than it was written for.
 */
static inline bool arch_knows_do_mmap(void)
{
#if defined(CONFIG_X86_64) && defined(ARCH_FINDS_ARGUMENTS)
	return __same_type(do_mmap, compat_do_mmap_six) ||
	       compat_do_mmap_has_flags();
#else
	return false;
#endif
}

/**
 * arch_do_mmap_call() - find the arguments of do_mmap() at its entry
 * @fregs: the registers there, as ftrace hands them over
 * @call: filled in; do_mmap() sees what is written through it
 *
 * Context: any, where arch_knows_do_mmap().
 */
static inline void arch_do_mmap_call(struct arch_fregs *fregs,
				     struct arch_do_mmap *call)
{
#if defined(CONFIG_X86_64) && defined(ARCH_FINDS_ARGUMENTS)
#if !defined(HAVE_FTRACE_REGS)
	struct pt_regs *regs = fregs;
#elif defined(arch_ftrace_regs)
	struct pt_regs *regs = &arch_ftrace_regs(fregs)->regs;
#else
	struct pt_regs *regs = &fregs->regs;
#endif

	call->file = &regs->di;
	call->len = &regs->dx;
	call->flags = &regs->r8;
	if (compat_do_mmap_has_flags())
		/* The seventh argument is behind the return address. */
		call->pgoff = (unsigned long *)regs->sp + 1;
	else
		call->pgoff = &regs->r9;
#endif
}

#endif /* ANONZERO_ARCH_H */
