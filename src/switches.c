// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge= and adopt=: the two parameters that need the probe. They can be written
 * at any time, and the probe is in place while one of them is on.
 */
#include "anonzero.h"

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

struct anonzero_switch anonzero_merge = {
	.name = "merge",
	.says = { "private mappings of /dev/anonzero are VMAs of their own",
		  "private mappings of /dev/anonzero merge with their neighbours" },
};

struct anonzero_switch anonzero_adopt = {
	.name = "adopt",
	.says = { "new private mappings of /dev/zero are the kernel's own again",
		  "new private mappings of /dev/zero are anonymous" },
};

/* Parameters can be written before init has run and after exit has. */
static enum { LOADING, LIVE, GONE } stage;
static DEFINE_MUTEX(switch_mutex);

/* Whether the module holds a reference on itself, as ftrace keeps the probe. */
static bool pinned;

static bool switches_need_probe(void)
{
	return anonzero_way() != ANONZERO_BY_CORE &&
	       (anonzero_merge.on || anonzero_adopt.on);
}

/* While do_mmap() may still call the probe, its code must stay in memory. */
static int switches_drop_probe(void)
{
	int ret = anonzero_probe_remove();

	if (ret && !pinned) {
		pr_err("ftrace keeps the probe at do_mmap(), which does nothing any more (error %d): the module cannot be unloaded\n",
		       ret);
		__module_get(THIS_MODULE);
		pinned = true;
	} else if (!ret && pinned) {
		module_put(THIS_MODULE);
		pinned = false;
	}
	return ret;
}

/*
 * No reference holds a module that is being unloaded, or whose load fails: so this
 * does not return before the probe is gone. The switches are off, and stay so.
 */
static void switches_wait_for_probe(void)
{
	int ret = anonzero_probe_remove();

	if (ret)
		pr_err("ftrace keeps the probe at do_mmap(), which does nothing any more (error %d): the module stays until it lets go\n",
		       ret);
	while (ret) {
		schedule_timeout_idle(HZ);
		ret = anonzero_probe_remove();
	}
}

static int switches_get_probe(void)
{
	int ret = 0;

	if (switches_need_probe())
		return 0;
	if (pinned && switches_drop_probe())
		ret = -EOPNOTSUPP;
	return ret ? ret : anonzero_probe_add();
}

/*
 * Where the probe is all that makes mappings of "anon" anonymous, or core mm does,
 * they merge with their neighbours.
 */
static int switches_keep_merge(void)
{
	pr_err("merge=0 cannot be had on this kernel: mappings are made anonymous %s, and merge\n",
	       anonzero_way_words());
	return -EOPNOTSUPP;
}

static void switches_say_nothing_to_adopt(void)
{
	pr_info("adopt=1: there is nothing to adopt, as this kernel makes private mappings of /dev/zero anonymous itself\n");
}

static int switch_turn(struct anonzero_switch *sw, bool on)
{
	int ret;

	if (sw == &anonzero_merge && anonzero_way() != ANONZERO_IN_HOOK)
		return switches_keep_merge();
	if (anonzero_way() == ANONZERO_BY_CORE) {
		switches_say_nothing_to_adopt();
		return 0;
	}
	ret = on ? switches_get_probe() : 0;
	if (ret)
		return ret;
	WRITE_ONCE(sw->on, on);
	pr_info("%s=%d: %s\n", sw->name, on, sw->says[on]);
	if (!switches_need_probe())
		switches_drop_probe();
	return 0;
}

static int switch_set(const char *val, const struct kernel_param *kp)
{
	struct anonzero_switch *sw = kp->arg;
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
		ret = switch_turn(sw, on);
	mutex_unlock(&switch_mutex);
	return ret;
}

static int switch_get(char *buffer, const struct kernel_param *kp)
{
	struct anonzero_switch *sw = kp->arg;

	return sysfs_emit(buffer, "%c\n", READ_ONCE(sw->on) ? 'Y' : 'N');
}

static const struct kernel_param_ops switch_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= switch_set,
	.get	= switch_get,
};

module_param_cb(merge, &switch_ops, &anonzero_merge, 0644);
__MODULE_PARM_TYPE(merge, "bool");
MODULE_PARM_DESC(merge, "private mappings of /dev/anonzero merge with their neighbours at once; then they have no name (default: N)");

module_param_cb(adopt, &switch_ops, &anonzero_adopt, 0644);
__MODULE_PARM_TYPE(adopt, "bool");
MODULE_PARM_DESC(adopt, "new private mappings of the system's own /dev/zero are anonymous memory too, merged and without a name (default: N)");

/* No write to a parameter takes effect afterwards. Returns whether adopt was on. */
static bool switches_close(void)
{
	bool adopted;

	mutex_lock(&switch_mutex);
	stage = GONE;
	adopted = anonzero_adopt.on;
	WRITE_ONCE(anonzero_merge.on, false);
	WRITE_ONCE(anonzero_adopt.on, false);
	mutex_unlock(&switch_mutex);
	return adopted;
}

/**
 * anonzero_switches_init() - put the probe in place, where something asks for it
 *
 * That is a parameter, or the way in which mappings become anonymous. From here on
 * the parameters take effect when they are written.
 *
 * Context: module load; sleeps.
 * Return: 0; -EOPNOTSUPP, with a line in the log, where do_mmap() cannot be
 * probed; -ENOMEM.
 */
int anonzero_switches_init(void)
{
	int ret = 0;

	mutex_lock(&switch_mutex);
	if (anonzero_way() != ANONZERO_IN_HOOK)
		anonzero_merge.on = true;
	if (anonzero_way() == ANONZERO_BY_CORE && anonzero_adopt.on) {
		anonzero_adopt.on = false;
		switches_say_nothing_to_adopt();
	}
	if (switches_need_probe())
		ret = anonzero_probe_add();
	stage = ret ? GONE : LIVE;
	mutex_unlock(&switch_mutex);
	if (ret)
		switches_wait_for_probe();
	return ret;
}

/**
 * anonzero_switches_exit() - switch off, for good
 *
 * Context: module load or unload; sleeps until no task is in the probe.
 */
void anonzero_switches_exit(void)
{
	bool adopted = switches_close();

	switches_wait_for_probe();
	if (adopted)
		pr_info("unloaded: %s\n", anonzero_adopt.says[0]);
}
