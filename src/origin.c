// SPDX-License-Identifier: GPL-2.0-only
/*
 * With origin=1 an anonymous mapping of the design "anon" carries a mark, and debugfs
 * lists the mappings that carry it. The mark is in vm_private_data. In a VMA without
 * vm_ops that is NULL, the kernel does not read it, and split and fork copy it.
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

/*
 * Not a valid pointer, and a constant, so that a module loaded later knows it again.
 */
#define MARK ((void *)0x616e6f6e7a65726fUL)

static bool origin;
module_param(origin, bool, 0644);
MODULE_PARM_DESC(origin, "mark private mappings of the design anon, to be listed in debugfs (default: N)");

/* How many VMAs are looked at before mmap_lock is dropped. */
#define VMAS_MAX 1024

static struct dentry *directory;
/* What merge and adopt did at the entry of do_mmap(), and what they left alone. */
static DEFINE_PER_CPU(unsigned long, requests_at_entry);
static DEFINE_PER_CPU(unsigned long, hybrids);

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
 * anonzero_origin_count_request() - count a request that the probe makes anonymous
 *
 * What comes of it has no mark, and the kernel may yet refuse it.
 *
 * Context: any.
 */
void anonzero_origin_count_request(void)
{
	this_cpu_inc(requests_at_entry);
}

/**
 * anonzero_origin_count_hybrid() - count a mapping of "anon" that is a hybrid
 *
 * Context: any.
 */
void anonzero_origin_count_hybrid(void)
{
	this_cpu_inc(hybrids);
}

static unsigned long origin_sum(unsigned long __percpu *count)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(count, cpu);
	return sum;
}

static void origin_show_counts(struct seq_file *m)
{
	seq_printf(m, "# PID COMM START-END PERMS RSS_KB; requests made anonymous at entry, without a mark: %lu",
		   origin_sum(&requests_at_entry));
	if (anonzero_way() == ANONZERO_AT_ENTRY)
		seq_printf(m, "; left as hybrids: %lu", origin_sum(&hybrids));
	seq_putc(m, '\n');
}

static bool origin_is_marked(struct vm_area_struct *vma)
{
	return vma_is_anonymous(vma) && !vma->vm_file &&
	       vma->vm_private_data == MARK;
}

/**
 * struct origin_cursor - where a reader is, and what it is to show
 * @nr: of the process, in the initial PID namespace
 * @at: where the search for the next VMA begins, in that process
 * @mm: its memory, with a reference between start and stop; or NULL
 * @comm: its name
 * @start: of the VMA, as it was found
 * @end: of the VMA, as it was found
 * @flags: of the VMA, as it was found
 * @rss: pages of it in memory
 */
struct origin_cursor {
	int nr;
	unsigned long at;
	struct mm_struct *mm;
	char comm[TASK_COMM_LEN];
	unsigned long start;
	unsigned long end;
	unsigned long flags;
	unsigned long rss;
};

/*
 * The thread that leads may have ended before the others, and then it has no mm:
 * find_lock_task_mm() asks each, too. Called with the RCU read lock held.
 */
static struct mm_struct *origin_process_mm(struct task_struct *leader)
{
	struct task_struct *thread;
	struct mm_struct *mm;

	for_each_thread(leader, thread) {
		mm = get_task_mm(thread);
		if (mm)
			return mm;
	}
	return NULL;
}

/*
 * Goes to the first process from @c->nr on, and takes a reference on its memory, if
 * it has any. In another process than before, the search begins at address 0.
 */
static void origin_enter(struct origin_cursor *c)
{
	struct task_struct *leader = NULL;
	int nr = c->nr;
	struct pid *pid;

	rcu_read_lock();
	pid = idr_get_next(&init_pid_ns.idr, &c->nr);
	if (pid)
		leader = pid_task(pid, PIDTYPE_TGID);
	if (leader) {
		get_task_comm(c->comm, leader);
		c->mm = origin_process_mm(leader);
	}
	rcu_read_unlock();
	if (!pid)
		c->nr = INT_MAX;
	if (c->nr != nr)
		c->at = 0;
}

static void origin_leave(struct origin_cursor *c)
{
	if (c->mm)
		mmput(c->mm);
	c->mm = NULL;
}

/*
 * Looks at a limited number of VMAs from @c->at on, as mmap_lock is held. Returns
 * the first that is marked, or else the last; NULL where there is none.
 */
static struct vm_area_struct *origin_next_vma(struct origin_cursor *c)
{
	struct vm_area_struct *vma = find_vma(c->mm, c->at);
	unsigned int n;

	for (n = 0; vma && !origin_is_marked(vma) && n < VMAS_MAX; n++) {
		c->at = vma->vm_end;
		vma = find_vma(c->mm, c->at);
	}
	return vma;
}

/* Returns the VMA that the address is in now, if that is marked. */
static struct vm_area_struct *origin_vma_at(struct origin_cursor *c,
					    unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(c->mm, addr);

	return vma && vma->vm_start <= addr && origin_is_marked(vma) ? vma : NULL;
}

/*
 * Counts what is in memory between @c->start and @c->end. It does so in parts and
 * takes mmap_lock anew for each, so that the process does not wait for the whole.
 * What is unmapped meanwhile is not counted. Returns false if the reader is killed.
 */
static bool origin_count_rss(struct origin_cursor *c)
{
	struct vm_area_struct *vma;
	unsigned long addr = c->start;

	c->rss = 0;
	while (addr < c->end) {
		if (fatal_signal_pending(current) ||
		    mmap_read_lock_killable(c->mm))
			return false;
		vma = origin_vma_at(c, addr);
		if (vma)
			addr = anonzero_rss(vma, addr, min(c->end, vma->vm_end),
					    &c->rss);
		mmap_read_unlock(c->mm);
		if (!vma)
			break;
		cond_resched();
	}
	return true;
}

/* Puts the next marked VMA of the process into @c, or returns false. */
static bool origin_next_in_process(struct origin_cursor *c)
{
	struct vm_area_struct *vma;
	bool found = false;

	do {
		if (fatal_signal_pending(current) ||
		    mmap_read_lock_killable(c->mm))
			return false;
		vma = origin_next_vma(c);
		if (vma && origin_is_marked(vma)) {
			c->start = vma->vm_start;
			c->end = vma->vm_end;
			c->flags = vma->vm_flags;
			found = true;
		}
		mmap_read_unlock(c->mm);
		cond_resched();
	} while (vma && !found);
	return found && origin_count_rss(c);
}

/* Puts the next marked VMA of any process into @c, or returns NULL. */
static struct origin_cursor *origin_find(struct origin_cursor *c)
{
	while (c->nr < INT_MAX && !fatal_signal_pending(current)) {
		if (!c->mm)
			origin_enter(c);
		if (c->mm && origin_next_in_process(c))
			return c;
		origin_leave(c);
		if (c->nr < INT_MAX)
			c->nr++;
		c->at = 0;
		cond_resched();
	}
	return NULL;
}

/* seq_file starts with the first record, or with the one that did not fit before. */
static void *origin_start(struct seq_file *m, loff_t *pos)
{
	struct origin_cursor *c = m->private;

	if (!*pos) {
		c->nr = 1;
		c->at = 0;
		return SEQ_START_TOKEN;
	}
	return origin_find(c);
}

static void *origin_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct origin_cursor *c = m->private;

	if (v != SEQ_START_TOKEN)
		c->at = c->end;
	(*pos)++;
	return origin_find(c);
}

static void origin_stop(struct seq_file *m, void *v)
{
	origin_leave(m->private);
}

static int origin_show(struct seq_file *m, void *v)
{
	struct origin_cursor *c = m->private;

	if (v == SEQ_START_TOKEN) {
		origin_show_counts(m);
		return 0;
	}
	seq_printf(m, "%d ", c->nr);
	seq_escape(m, c->comm, " \t\n\\");
	seq_printf(m, " %lx-%lx %c%c%cp %lu\n", c->start, c->end,
		   c->flags & VM_READ ? 'r' : '-',
		   c->flags & VM_WRITE ? 'w' : '-',
		   c->flags & VM_EXEC ? 'x' : '-', c->rss << (PAGE_SHIFT - 10));
	return 0;
}

static const struct seq_operations origin_seq_ops = {
	.start	= origin_start,
	.next	= origin_next,
	.stop	= origin_stop,
	.show	= origin_show,
};

static int origin_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &origin_seq_ops, sizeof(struct origin_cursor));
}

static const struct file_operations origin_fops = {
	.owner		= THIS_MODULE,
	.open		= origin_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/**
 * anonzero_origin_init() - make the file in debugfs
 *
 * A kernel without debugfs has no such file, and nothing else depends on it.
 *
 * Context: module load; sleeps.
 */
void anonzero_origin_init(void)
{
	directory = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("mappings", 0400, directory, NULL, &origin_fops);
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
