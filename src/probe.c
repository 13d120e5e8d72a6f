// SPDX-License-Identifier: GPL-2.0-only
/*
 * What merge=1 and adopt=1 switch on: a probe at the entry of do_mmap() makes an
 * anonymous request of a private one of a zero device, before the kernel looks
 * for a neighbour to merge with. Security modules have seen the file by then.
 */
#include "anonzero.h"
#include "arch.h"

#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/slab.h>

/*
 * The flags that do_mmap() treats alike with a file and without. Any other, and
 * any type of mapping but MAP_PRIVATE, is left to the kernel's own answer.
 */
#define PLAIN_FLAGS (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_LOCKED |	\
		     MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_32BIT |	\
		     MAP_STACK)

/* NULL while ftrace has none. One caller of add or remove at a time writes it. */
static struct ftrace_ops *probe;

static bool probe_wants(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (!S_ISCHR(inode->i_mode))
		return false;
	if (READ_ONCE(anonzero_adopt.on) && inode->i_rdev == ANONZERO_ZERO_DEVT)
		return true;
	return READ_ONCE(anonzero_merge.on) && anonzero_is_anon(file);
}

/*
 * Without a file do_mmap() would not say EACCES or EOVERFLOW, as it must here. On a
 * noexec mount it must say EPERM, or take VM_MAYEXEC away.
 */
static bool probe_passes_as_file(const struct file *file, unsigned long len,
				 unsigned long pgoff)
{
	const struct vfsmount *mnt = file->f_path.mnt;

	return file->f_mode & FMODE_READ &&
	       !(mnt->mnt_flags & MNT_NOEXEC) &&
	       !(mnt->mnt_sb->s_iflags & SB_I_NOEXEC) &&
	       pgoff <= (ULONG_MAX - PAGE_ALIGN(len)) >> PAGE_SHIFT;
}

/* It must not sleep. The caller holds mmap_lock for writing, and the file. */
static void notrace probe_do_mmap(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct arch_fregs *fregs)
{
	struct arch_do_mmap call;
	const struct file *file;

	arch_do_mmap_call(fregs, &call);
	if ((*call.flags & ~PLAIN_FLAGS) != MAP_PRIVATE)
		return;

	file = (const struct file *)*call.file;
	if (file && probe_wants(file) &&
	    probe_passes_as_file(file, *call.len, *call.pgoff)) {
		*call.file = 0;
		*call.flags |= MAP_ANONYMOUS;
		anonzero_origin_count_request();
	}
}

/*
 * The ops is allocated, also for a module that is built in: only for an ops that is
 * not kernel data does ftrace_shutdown() wait for callers and free the trampoline.
 */
static struct ftrace_ops *probe_alloc(void)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);

	if (!ops)
		return NULL;
	ops->func = probe_do_mmap;
	/* ftrace cannot be disabled while a switch reads Y. */
	ops->flags = FTRACE_OPS_FL_PERMANENT | ARCH_FTRACE_FLAGS;
	return ops;
}

static void probe_free(struct ftrace_ops *ops)
{
	compat_free_filter(ops);
	kfree(ops);
}

/*
 * The filter is set by address. ftrace_set_filter() sets it by name, and there
 * match_records() takes -ENOMEM for a match: the filter stays empty, which means
 * every function of the kernel.
 */
static int probe_register(struct ftrace_ops *ops)
{
	unsigned long ip;
	int ret;

	if (!arch_knows_do_mmap())
		return -EOPNOTSUPP;
	ret = anonzero_symbol("do_mmap", &ip);
	if (!ret)
		ret = ftrace_set_filter_ip(ops, ip, 0, 1);
	if (!ret)
		ret = register_ftrace_function(ops);
	return ret;
}

/**
 * anonzero_probe_add() - have do_mmap() call the probe
 *
 * Context: process context, sleeps; no other caller of this or of
 * anonzero_probe_remove(), and no probe that is there.
 * Return: 0; -EOPNOTSUPP, with a line in the log, where do_mmap() cannot be
 * probed; -ENOMEM. After an error there may still be a probe to remove.
 */
int anonzero_probe_add(void)
{
	struct ftrace_ops *ops = probe_alloc();
	int ret;

	if (!ops)
		return -ENOMEM;
	ret = probe_register(ops);
	/* ftrace_startup() keeps an ops enabled when it breaks down underway. */
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		probe = ops;
	else
		probe_free(ops);
	if (!ret || ret == -ENOMEM)
		return ret;

	pr_err("merge=1 and adopt=1 need ftrace at the entry of do_mmap(), which this kernel refuses (error %d): %s\n",
	       ret, ret == -EBUSY ? "set kernel.ftrace_enabled to 1" :
				    anonzero_probe_advice());
	return -EOPNOTSUPP;
}

/**
 * anonzero_probe_remove() - take the probe away, if there is one
 *
 * Context: process context; sleeps until no task is in the probe. No other
 * caller of this or of anonzero_probe_add().
 * Return: 0; -ENODEV where ftrace has disabled itself, as it does when it finds
 * the code other than it left it: do_mmap() may call the probe as before.
 */
int anonzero_probe_remove(void)
{
	int ret;

	if (!probe)
		return 0;
	ret = unregister_ftrace_function(probe);
	if (ret)
		return ret;
	probe_free(probe);
	probe = NULL;
	return 0;
}
