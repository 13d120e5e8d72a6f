// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "sharded": a hybrid to every reader of /proc, and yet no CPU shares an
 * rmap lock with another. The mappings that a CPU makes hang on a clone of the
 * opened file that is the CPU's own, with an rmap tree of its own.
 *
 * Nothing is opened under mmap_lock, where a file system or a security module
 * might wait for the mapper: a mapping that finds no clone is a hybrid on the
 * user's own file, and asks a worker to open one.
 */
#include "anonzero.h"

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/memcontrol.h>
#include <linux/path.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#define MAX_FAILURES 8

/* Clones take no more than this part of fs.file-max, all together. */
#define FILE_MAX_PART 8

/**
 * struct opener - one open file of a sharded node, of a user or a clone
 * @design: first, as in every file's private_data
 * @mapping: a clone's own address_space, freed with it; NULL for a user's file
 * @ref: one of the file, one of the work that is queued or runs
 * @work: opens the clone for @cpu
 * @cpu: that asked last; who asked before, and was missed, asks again
 * @failures: how many clones could not be opened; after some no more is asked
 * @memcg: of the task that opened the file, with a reference; may be NULL. Its
 *	clones are charged to it, as the file is.
 * @lock: for @file and @clones
 * @file: the file, without a reference; NULL once it is released
 * @clones: by CPU, each with a reference; NULL before the first
 */
struct opener {
	const struct anonzero_design *design;
	struct address_space *mapping;
	struct kref ref;
	struct work_struct work;
	unsigned int cpu;
	unsigned int failures;
	struct mem_cgroup *memcg;
	spinlock_t lock;	/* file, clones */
	struct file *file;
	struct file **clones;
};

static struct workqueue_struct *workers;
static atomic_long_t nr_clones = ATOMIC_LONG_INIT(0);

static void opener_free(struct kref *ref)
{
	struct opener *opener = container_of(ref, struct opener, ref);

	mem_cgroup_put(opener->memcg);
	kfree(opener->clones);
	kfree(opener);
}

/* What a clone is opened with; false where the user's file is gone. */
static bool opener_source(struct opener *opener, struct path *path, int *flags,
			  const struct cred **cred)
{
	struct file *file;

	spin_lock(&opener->lock);
	file = opener->file;
	if (file) {
		*path = file->f_path;
		path_get(path);
		*flags = file->f_flags;
		*cred = get_cred(file->f_cred);
	}
	spin_unlock(&opener->lock);
	return file;
}

/* An empty copy of the inode's own, to hang mappings into and nothing else. */
static struct address_space *mapping_alloc(struct inode *inode, int node)
{
	struct address_space *mapping;

	mapping = kmalloc_node(sizeof(*mapping), GFP_KERNEL_ACCOUNT, node);
	if (!mapping)
		return NULL;
	address_space_init_once(mapping);
	init_rwsem(&mapping->invalidate_lock);
	mapping->host = inode;
	mapping->a_ops = inode->i_mapping->a_ops;
	mapping_set_gfp_mask(mapping, mapping_gfp_mask(inode->i_mapping));
	return mapping;
}

static struct file *clone_open(const struct path *path, int flags,
			       const struct cred *cred, int node)
{
	struct address_space *mapping;
	struct opener *opener;
	struct file *clone;

	mapping = mapping_alloc(d_inode(path->dentry), node);
	if (!mapping)
		return ERR_PTR(-ENOMEM);
	clone = dentry_open(path, flags, cred);
	if (IS_ERR(clone)) {
		kfree(mapping);
		return clone;
	}
	/* From here on its release frees the mapping, and counts it out. */
	opener = clone->private_data;
	opener->mapping = mapping;
	clone->f_mapping = mapping;
	return clone;
}

/*
 * A clone is no descriptor, so RLIMIT_NOFILE does not bound it; without a bound
 * of their own, clones would leave nobody else a file.
 */
static struct file *clone_open_counted(const struct path *path, int flags,
				       const struct cred *cred, int node)
{
	struct file *clone = ERR_PTR(-ENFILE);

	if (atomic_long_inc_return(&nr_clones) <= get_max_files() / FILE_MAX_PART)
		clone = clone_open(path, flags, cred, node);
	if (IS_ERR(clone))
		atomic_long_dec(&nr_clones);
	return clone;
}

/* Only the work makes the array, and of that there is one. */
static bool clones_alloc(struct opener *opener)
{
	struct file **clones;

	if (opener->clones)
		return true;
	clones = kcalloc(nr_cpu_ids, sizeof(*clones), GFP_KERNEL_ACCOUNT);
	/* Pairs with clone_find(): the array is seen zeroed. */
	smp_store_release(&opener->clones, clones);
	return clones;
}

/* Puts the clone in its place, which only the work fills, if it still is one. */
static bool clone_keep(struct opener *opener, unsigned int cpu,
		       struct file *clone)
{
	bool keep;

	spin_lock(&opener->lock);
	keep = opener->file;
	if (keep) {
		/* Pairs with clone_find(): the clone is seen with its mapping. */
		smp_store_release(&opener->clones[cpu], clone);
	}
	spin_unlock(&opener->lock);
	return keep;
}

static void clone_make(struct opener *opener, const struct path *path,
		       int flags, const struct cred *cred)
{
	unsigned int cpu = READ_ONCE(opener->cpu);
	struct file *clone = ERR_PTR(-ENOMEM);

	if (clones_alloc(opener)) {
		if (opener->clones[cpu])
			return;
		clone = clone_open_counted(path, flags, cred, cpu_to_node(cpu));
	}
	if (IS_ERR(clone))
		WRITE_ONCE(opener->failures, opener->failures + 1);
	else if (!clone_keep(opener, cpu, clone))
		fput(clone);
}

/*
 * As the task that opened the file: fs.file-max, the label that a security module
 * gives the clone, and the cgroup that pays for it are those of a second open().
 */
static void clone_make_as_opener(struct opener *opener, const struct path *path,
				 int flags, const struct cred *cred)
{
	const struct cred *own_cred = override_creds(cred);
	struct mem_cgroup *own_memcg = set_active_memcg(opener->memcg);

	clone_make(opener, path, flags, cred);
	set_active_memcg(own_memcg);
	revert_creds(own_cred);
}

static void opener_work(struct work_struct *work)
{
	struct opener *opener = container_of(work, struct opener, work);
	const struct cred *cred;
	struct path path;
	int flags;

	if (opener_source(opener, &path, &flags, &cred)) {
		clone_make_as_opener(opener, &path, flags, cred);
		path_put(&path);
		put_cred(cred);
	}
	kref_put(&opener->ref, opener_free);
}

static void ask_for_clone(struct opener *opener, unsigned int cpu)
{
	if (READ_ONCE(opener->failures) >= MAX_FAILURES)
		return;
	WRITE_ONCE(opener->cpu, cpu);
	kref_get(&opener->ref);
	if (!queue_work(workers, &opener->work))
		kref_put(&opener->ref, opener_free);
}

static struct file *clone_find(struct opener *opener, unsigned int cpu)
{
	/* Pairs with clones_alloc(). */
	struct file **clones = smp_load_acquire(&opener->clones);

	/* Pairs with clone_keep(). */
	return clones ? smp_load_acquire(&clones[cpu]) : NULL;
}

/* It is no matter if the task moves to another CPU while it is here. */
static void sharded_mmap_private(struct vm_area_struct *vma)
{
	struct opener *opener = vma->vm_file->private_data;
	unsigned int cpu = raw_smp_processor_id();
	struct file *clone = clone_find(opener, cpu);

	vma_set_anonymous(vma);
	if (clone)
		vma_set_file(vma, clone);
	else
		ask_for_clone(opener, cpu);
}

static int sharded_open(struct file *file)
{
	struct opener *opener = kzalloc(sizeof(*opener), GFP_KERNEL_ACCOUNT);

	if (!opener)
		return -ENOMEM;
	opener->design = &anonzero_sharded;
	opener->memcg = get_mem_cgroup_from_mm(current->mm);
	kref_init(&opener->ref);
	INIT_WORK(&opener->work, opener_work);
	spin_lock_init(&opener->lock);
	opener->file = file;
	file->private_data = opener;
	return 0;
}

/* The last mapping of a clone, or the file of its opener, was the last to go. */
static void sharded_release(struct file *file)
{
	struct opener *opener = file->private_data;
	struct file **clones;
	unsigned int cpu;

	spin_lock(&opener->lock);
	opener->file = NULL;
	/* Without @file no clone is kept any more, but the array may yet come. */
	clones = READ_ONCE(opener->clones);
	spin_unlock(&opener->lock);
	for (cpu = 0; clones && cpu < nr_cpu_ids; cpu++) {
		if (clones[cpu])
			fput(clones[cpu]);
	}
	if (opener->mapping)
		atomic_long_dec(&nr_clones);
	kfree(opener->mapping);
	kref_put(&opener->ref, opener_free);
}

static int sharded_init(void)
{
	workers = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND, 0);
	return workers ? 0 : -ENOMEM;
}

static void sharded_exit(void)
{
	destroy_workqueue(workers);
}

const struct anonzero_design anonzero_sharded = {
	.name		= "sharded",
	.init		= sharded_init,
	.exit		= sharded_exit,
	.open		= sharded_open,
	.release	= sharded_release,
	.mmap_private	= sharded_mmap_private,
	.unmapped_area	= compat_zero_unmapped_area,
};
