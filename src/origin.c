// SPDX-License-Identifier: GPL-2.0-only
/*
 * origin=1: an anonymous mapping of the design "anon" carries a mark, and
 * debugfs lists the mappings that do. The mark is in vm_private_data, which for a
 * VMA without vm_ops is NULL, read by nobody, and copied by split and fork.
 */
#include "anonzero.h"

#include <linux/debugfs.h>
#include <linux/idr.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/pgtable.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

/* No pointer: odd, and of no kernel's address range. The same after a reload. */
#define MARK ((void *)0x616e6f6e7a65726fUL)

static bool origin;
module_param(origin, bool, 0644);
MODULE_PARM_DESC(origin, "mark private mappings of the design anon, to be listed in debugfs (default: N)");

static struct dentry *directory;
static DEFINE_PER_CPU(unsigned long, merged_at_entry);

/**
 * anonzero_origin_is_on() - whether new mappings are marked
 *
 * Return: whether.
 */
bool anonzero_origin_is_on(void)
{
	return READ_ONCE(origin);
}

/**
 * anonzero_origin_mark() - mark a new anonymous mapping, if that is on
 * @vma: the mapping, without vm_ops, not in the tree yet
 *
 * Context: mmap_lock held for writing.
 */
void anonzero_origin_mark(struct vm_area_struct *vma)
{
	if (anonzero_origin_is_on())
		vma->vm_private_data = MARK;
}

/**
 * anonzero_origin_count() - count a mapping that the probe makes, unmarked
 *
 * Context: any.
 */
void anonzero_origin_count(void)
{
	this_cpu_inc(merged_at_entry);
}

static unsigned long sum_merged(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(merged_at_entry, cpu);
	return sum;
}

static bool is_marked(struct vm_area_struct *vma)
{
	return vma_is_anonymous(vma) && !vma->vm_file &&
	       vma->vm_private_data == MARK;
}

/**
 * struct cursor - where a reader is
 * @nr: of the process, in the initial PID namespace
 * @at: where the search for the VMA that is shown began, in that process
 * @mm: its memory, with a reference and mmap_lock held for reading, between
 *	start and stop; or NULL
 * @task: the process, with a reference while @mm is there
 * @vma: what to show
 */
struct cursor {
	int nr;
	unsigned long at;
	struct mm_struct *mm;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

/* The next process from @c->nr on; where it is another, its VMAs are all new. */
static struct task_struct *next_process(struct cursor *c)
{
	struct task_struct *task = NULL;
	int nr = c->nr;
	struct pid *pid;

	rcu_read_lock();
	pid = idr_get_next(&init_pid_ns.idr, &c->nr);
	if (pid) {
		task = pid_task(pid, PIDTYPE_TGID);
		if (task)
			get_task_struct(task);
	}
	rcu_read_unlock();
	if (!pid)
		c->nr = INT_MAX;
	if (c->nr != nr)
		c->at = 0;
	return task;
}

static void leave_process(struct cursor *c)
{
	if (!c->mm)
		return;
	mmap_read_unlock(c->mm);
	mmput(c->mm);
	put_task_struct(c->task);
	c->mm = NULL;
}

/* Sets @c->mm, but not for a kernel thread or a process that is gone. */
static void enter_process(struct cursor *c, struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);

	if (mm && !mmap_read_lock_killable(mm)) {
		c->mm = mm;
		c->task = task;
		return;
	}
	if (mm)
		mmput(mm);
	put_task_struct(task);
}

static struct vm_area_struct *next_in_process(struct cursor *c)
{
	struct vm_area_struct *vma;

	for (vma = find_vma(c->mm, c->at); vma; vma = find_vma(c->mm, c->at)) {
		if (is_marked(vma))
			return vma;
		c->at = vma->vm_end;
	}
	return NULL;
}

/* The VMA to show from (nr, at) on, with its mm locked; or NULL at the end. */
static struct cursor *find_next(struct cursor *c)
{
	struct task_struct *task;

	while (c->nr < INT_MAX && !fatal_signal_pending(current)) {
		if (!c->mm) {
			task = next_process(c);
			if (task)
				enter_process(c, task);
		}
		if (c->mm) {
			c->vma = next_in_process(c);
			if (c->vma)
				return c;
			leave_process(c);
		}
		if (c->nr < INT_MAX)
			c->nr++;
		c->at = 0;
		cond_resched();
	}
	return NULL;
}

/* seq_file asks for the record that it has not got rid of, or for the first. */
static void *mappings_start(struct seq_file *m, loff_t *pos)
{
	struct cursor *c = m->private;

	if (!*pos) {
		c->nr = 1;
		c->at = 0;
		return SEQ_START_TOKEN;
	}
	return find_next(c);
}

static void *mappings_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct cursor *c = m->private;

	if (v != SEQ_START_TOKEN)
		c->at = c->vma->vm_end;
	(*pos)++;
	return find_next(c);
}

static void mappings_stop(struct seq_file *m, void *v)
{
	leave_process(m->private);
}

static int mappings_show(struct seq_file *m, void *v)
{
	struct cursor *c = m->private;
	struct vm_area_struct *vma = c->vma;
	unsigned long flags;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "# PID COMM START-END PERMS RSS_KB; merged at entry, without a mark: %lu\n",
			   sum_merged());
		return 0;
	}
	flags = vma->vm_flags;
	seq_printf(m, "%d ", c->nr);
	seq_escape(m, c->task->comm, " \t\n\\");
	seq_printf(m, " %lx-%lx %c%c%cp %lu\n", vma->vm_start, vma->vm_end,
		   flags & VM_READ ? 'r' : '-', flags & VM_WRITE ? 'w' : '-',
		   flags & VM_EXEC ? 'x' : '-',
		   anonzero_rss(vma) << (PAGE_SHIFT - 10));
	return 0;
}

static const struct seq_operations mappings_ops = {
	.start	= mappings_start,
	.next	= mappings_next,
	.stop	= mappings_stop,
	.show	= mappings_show,
};

static int mappings_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &mappings_ops, sizeof(struct cursor));
}

static const struct file_operations mappings_fops = {
	.owner		= THIS_MODULE,
	.open		= mappings_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/**
 * anonzero_origin_init() - make the file in debugfs
 *
 * A kernel without debugfs has none; nothing else depends on it.
 *
 * Context: module load; sleeps.
 */
void anonzero_origin_init(void)
{
	directory = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("mappings", 0400, directory, NULL, &mappings_fops);
}

/**
 * anonzero_origin_exit() - remove the file in debugfs
 *
 * Context: module load or unload; sleeps until nobody reads it.
 */
void anonzero_origin_exit(void)
{
	debugfs_remove(directory);
}
