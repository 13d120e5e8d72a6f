// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge=1 and adopt=1: a probe at the entry of do_mmap() makes an anonymous
 * request of a private one of a zero device, before the kernel looks for a
 * neighbour to merge with. Security modules have seen the file by then.
 */
#include "anonzero.h"

#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/major.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>

/*
 * The flags that do_mmap() treats alike with a file and without. Any other, and
 * any type of mapping but MAP_PRIVATE, is left to the kernel's own answer.
 */
#define PLAIN_FLAGS (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_LOCKED |	\
		     MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_32BIT)

/* The system's /dev/zero, as drivers/char/mem.c has it. */
#define ZERO_DEVT MKDEV(MEM_MAJOR, 5)

/**
 * struct probe_switch - one of the parameters that need the probe
 * @name: the parameter's
 * @says: what the log gets when it is switched off, and on
 * @on: written with switch_mutex held
 */
struct probe_switch {
	const char *name;
	const char *says[2];
	bool on;
};

static struct probe_switch merge = {
	.name = "merge",
	.says = { "private mappings of /dev/anonzero are VMAs of their own",
		  "private mappings of /dev/anonzero merge with their neighbours" },
};

static struct probe_switch adopt = {
	.name = "adopt",
	.says = { "new private mappings of /dev/zero are the kernel's own again",
		  "new private mappings of /dev/zero are anonymous" },
};

/* Parameters can be written before init has run and after exit has. */
static enum { LOADING, LIVE, GONE } stage;
static DEFINE_MUTEX(switch_mutex);
static struct ftrace_ops probe;

static bool wants_anonymous(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (!S_ISCHR(inode->i_mode))
		return false;
	if (READ_ONCE(adopt.on) && inode->i_rdev == ZERO_DEVT)
		return true;
	return READ_ONCE(merge.on) && anonzero_is_anon(file);
}

/*
 * What do_mmap() would say of the file and would not say without it: EACCES,
 * EOVERFLOW. On a noexec mount it says EPERM, or takes VM_MAYEXEC away.
 */
static bool passes_as_file(const struct file *file, unsigned long len,
			   unsigned long pgoff)
{
	const struct vfsmount *mnt = file->f_path.mnt;

	return file->f_mode & FMODE_READ &&
	       !(mnt->mnt_flags & MNT_NOEXEC) &&
	       !(mnt->mnt_sb->s_iflags & SB_I_NOEXEC) &&
	       pgoff <= (ULONG_MAX - PAGE_ALIGN(len)) >> PAGE_SHIFT;
}

/* Must not sleep. mmap_lock is held for writing, and the file by the caller. */
static void notrace enter_do_mmap(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	struct compat_do_mmap call;
	const struct file *file;

	compat_do_mmap_call(fregs, &call);
	if ((*call.flags & ~PLAIN_FLAGS) != MAP_PRIVATE)
		return;

	file = (const struct file *)*call.file;
	if (file && wants_anonymous(file) &&
	    passes_as_file(file, *call.len, *call.pgoff)) {
		*call.file = 0;
		*call.flags |= MAP_ANONYMOUS;
		anonzero_origin_count();
	}
}

static bool probe_is_needed(void)
{
	return merge.on || adopt.on;
}

/* By a kprobe that is never armed: nothing else tells a module the address. */
static int find_do_mmap(unsigned long *ip)
{
	struct kprobe kprobe = {
		.symbol_name = "do_mmap",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&kprobe);

	if (ret)
		return ret;
	*ip = (unsigned long)kprobe.addr;
	unregister_kprobe(&kprobe);
	return 0;
}

/*
 * Not ftrace_set_filter(), by name: match_records() takes -ENOMEM for a match,
 * and an empty filter is every function of the kernel.
 */
static int probe_register(void)
{
	unsigned long ip;
	int ret;

	/* Permanent: ftrace cannot be disabled while a switch reads Y. */
	probe = (struct ftrace_ops) {
		.func = enter_do_mmap,
		.flags = FTRACE_OPS_FL_PERMANENT,
	};
	if (!compat_knows_do_mmap())
		return -EOPNOTSUPP;
	ret = find_do_mmap(&ip);
	if (!ret)
		ret = ftrace_set_filter_ip(&probe, ip, 0, 1);
	if (!ret)
		ret = register_ftrace_function(&probe);
	if (ret)
		ftrace_free_filter(&probe);
	return ret;
}

static int probe_add(void)
{
	int ret = probe_register();

	if (!ret || ret == -ENOMEM)
		return ret;
	pr_err("merge=1 and adopt=1 need ftrace at the entry of do_mmap(), which this kernel refuses (error %d): %s\n",
	       ret, ret == -EBUSY ? "set kernel.ftrace_enabled to 1" :
				    "leave both at 0");
	return -EOPNOTSUPP;
}

/* Sleeps until no task is in the probe. */
static void probe_remove(void)
{
	unregister_ftrace_function(&probe);
	ftrace_free_filter(&probe);
}

static int switch_to(struct probe_switch *sw, bool on)
{
	int ret = 0;

	if (on && !probe_is_needed())
		ret = probe_add();
	if (ret)
		return ret;

	WRITE_ONCE(sw->on, on);
	if (!probe_is_needed())
		probe_remove();
	pr_info("%s=%d: %s\n", sw->name, on, sw->says[on]);
	return 0;
}

static int switch_set(const char *val, const struct kernel_param *kp)
{
	struct probe_switch *sw = kp->arg;
	bool on = true;
	int ret = 0;

	if (val)
		ret = kstrtobool(val, &on);
	if (ret)
		return ret;

	mutex_lock(&switch_mutex);
	if (stage == LOADING)
		sw->on = on;
	else if (stage == GONE)
		ret = -ENODEV;
	else if (sw->on != on)
		ret = switch_to(sw, on);
	mutex_unlock(&switch_mutex);
	return ret;
}

static int switch_get(char *buffer, const struct kernel_param *kp)
{
	struct probe_switch *sw = kp->arg;

	return sysfs_emit(buffer, "%c\n", READ_ONCE(sw->on) ? 'Y' : 'N');
}

static const struct kernel_param_ops switch_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= switch_set,
	.get	= switch_get,
};

module_param_cb(merge, &switch_ops, &merge, 0644);
__MODULE_PARM_TYPE(merge, "bool");
MODULE_PARM_DESC(merge, "private mappings of /dev/anonzero merge with their neighbours at once; then they have no name (default: N)");

module_param_cb(adopt, &switch_ops, &adopt, 0644);
__MODULE_PARM_TYPE(adopt, "bool");
MODULE_PARM_DESC(adopt, "new private mappings of the system's own /dev/zero are anonymous memory too, merged and without a name (default: N)");

/**
 * anonzero_probe_init() - put the probe in place, if a parameter asks for it
 *
 * From here on the parameters take effect when they are written.
 *
 * Context: module load; sleeps.
 * Return: 0; -EOPNOTSUPP, with a line in the log, where do_mmap() cannot be
 * probed; -ENOMEM.
 */
int anonzero_probe_init(void)
{
	int ret = 0;

	mutex_lock(&switch_mutex);
	if (probe_is_needed())
		ret = probe_add();
	stage = ret ? GONE : LIVE;
	mutex_unlock(&switch_mutex);
	return ret;
}

/**
 * anonzero_probe_exit() - take the probe away, for good
 *
 * Context: module load or unload; sleeps until no task is in the probe.
 */
void anonzero_probe_exit(void)
{
	mutex_lock(&switch_mutex);
	stage = GONE;
	if (probe_is_needed())
		probe_remove();
	if (adopt.on)
		pr_info("unloaded: %s\n", adopt.says[0]);
	mutex_unlock(&switch_mutex);
}

/**
 * anonzero_probe_state() - which parameters are on
 * @merges: set to whether anonzero's own mappings merge
 * @adopts: set to whether /dev/zero is adopted
 */
void anonzero_probe_state(bool *merges, bool *adopts)
{
	*merges = READ_ONCE(merge.on);
	*adopts = READ_ONCE(adopt.on);
}
