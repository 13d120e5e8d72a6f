// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "sharded": every reader of /proc sees a hybrid, and yet no two CPUs share an
 * rmap lock. Each CPU has a clone of the opened file, with an rmap tree of its own,
 * and the mappings that it makes are of that clone.
 *
 * No file is opened under mmap_lock, where a file system or a security module might
 * wait for the mapper. A mapping that finds no clone is a hybrid of the user's own
 * file, and asks a worker to open a clone.
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

/* After so many clones that could not be opened, a file asks for no more. */
#define MAX_FAILURES 8

/* All clones together take no more than this part of fs.file-max. */
#define FILE_MAX_PART 8

/**
 * struct sharded_opener - an open file of a sharded node: a user's, or a clone
 * @mapping: the clone's own address_space, freed with it; NULL for a user's file
 * @ref: the file holds one, and so does the work while it is queued or runs
 * @work: opens the clone for @cpu
 * @cpu: the last CPU that asked; one that asked before, and was missed, asks again
 * @failures: how many clones could not be opened
 * @memcg: of the task that opened the file, with a reference; may be NULL. The
 *	clones are charged to it, as the file is.
 * @lock: protects @file and @clones
 * @file: the file, without a reference; NULL once it is released
 * @clones: one for each CPU, with a reference, or NULL; the array is made with the
 *	first of them
 */
struct sharded_opener {
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

static struct workqueue_struct *sharded_workers;
static atomic_long_t sharded_nr_clones = ATOMIC_LONG_INIT(0);

static void sharded_opener_free(struct kref *ref)
{
	struct sharded_opener *opener =
		container_of(ref, struct sharded_opener, ref);

	mem_cgroup_put(opener->memcg);
	kfree(opener->clones);
	kfree(opener);
}

/*
 * Takes from the user's file, with references, what a clone is opened with. Returns
 * false if that file was released.
 */
static bool sharded_source(struct sharded_opener *opener, struct path *path,
			   int *flags, const struct cred **cred)
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

/* Like the inode's own, but with a lock and a tree of mappings that are its own. */
static struct address_space *sharded_mapping_alloc(struct inode *inode, int node)
{
	struct address_space *mapping;

	mapping = kmalloc_node(sizeof(*mapping), GFP_KERNEL_ACCOUNT, node);
	if (!mapping)
		return NULL;
	compat_init_mapping(mapping);
	mapping->host = inode;
	mapping->a_ops = inode->i_mapping->a_ops;
	mapping_set_gfp_mask(mapping, mapping_gfp_mask(inode->i_mapping));
	return mapping;
}

static struct file *sharded_clone_open(const struct path *path, int flags,
				       const struct cred *cred, int node)
{
	struct address_space *mapping;
	struct sharded_opener *opener;
	struct file *clone;

	mapping = sharded_mapping_alloc(d_inode(path->dentry), node);
	if (!mapping)
		return ERR_PTR(-ENOMEM);
	clone = dentry_open(path, flags, cred);
	if (IS_ERR(clone)) {
		kfree(mapping);
		return clone;
	}
	/* From here on sharded_release() frees the mapping. */
	opener = clone->private_data;
	opener->mapping = mapping;
	clone->f_mapping = mapping;
	return clone;
}

/*
 * RLIMIT_NOFILE does not bound clones, as they have no descriptor. Without a bound of
 * their own, one user's clones would leave nobody else a file.
 */
static struct file *sharded_clone_open_counted(const struct path *path,
					       int flags,
					       const struct cred *cred,
					       int node)
{
	unsigned long most = get_max_files() / FILE_MAX_PART;
	struct file *clone = ERR_PTR(-ENFILE);

	if (atomic_long_inc_return(&sharded_nr_clones) <= most)
		clone = sharded_clone_open(path, flags, cred, node);
	if (IS_ERR(clone))
		atomic_long_dec(&sharded_nr_clones);
	return clone;
}

/* Only the work makes the array, and a file has one work. */
static bool sharded_clones_alloc(struct sharded_opener *opener)
{
	struct file **clones;

	if (opener->clones)
		return true;
	clones = kcalloc(nr_cpu_ids, sizeof(*clones), GFP_KERNEL_ACCOUNT);
	/* Pairs with sharded_clone_find(): the array is seen zeroed. */
	smp_store_release(&opener->clones, clones);
	return clones;
}

/* Publishes this CPU's clone, unless the file was released meanwhile. */
static bool sharded_clone_keep(struct sharded_opener *opener, unsigned int cpu,
			       struct file *clone)
{
	bool keep;

	spin_lock(&opener->lock);
	keep = opener->file;
	if (keep) {
		/* Pairs with sharded_clone_find(): the mapping is seen, too. */
		smp_store_release(&opener->clones[cpu], clone);
	}
	spin_unlock(&opener->lock);
	return keep;
}

static void sharded_clone_make(struct sharded_opener *opener,
			       const struct path *path, int flags,
			       const struct cred *cred)
{
	unsigned int cpu = READ_ONCE(opener->cpu);
	struct file *clone = ERR_PTR(-ENOMEM);

	if (sharded_clones_alloc(opener)) {
		if (opener->clones[cpu])
			return;
		clone = sharded_clone_open_counted(path, flags, cred,
						   cpu_to_node(cpu));
	}
	if (IS_ERR(clone))
		WRITE_ONCE(opener->failures, opener->failures + 1);
	else if (!sharded_clone_keep(opener, cpu, clone))
		fput(clone);
}

/*
 * Acts for the task that opened the file. So fs.file-max, the label that a security
 * module gives the clone, and the cgroup that pays are as for its own open(2).
 */
static void sharded_clone_make_as_opener(struct sharded_opener *opener,
					 const struct path *path, int flags,
					 const struct cred *cred)
{
	const struct cred *own_cred = override_creds(cred);
	struct mem_cgroup *own_memcg;

	own_memcg = compat_swap_active_memcg(opener->memcg);
	sharded_clone_make(opener, path, flags, cred);
	compat_swap_active_memcg(own_memcg);
	revert_creds(own_cred);
}

static void sharded_work(struct work_struct *work)
{
	struct sharded_opener *opener =
		container_of(work, struct sharded_opener, work);
	const struct cred *cred;
	struct path path;
	int flags;

	if (sharded_source(opener, &path, &flags, &cred)) {
		sharded_clone_make_as_opener(opener, &path, flags, cred);
		path_put(&path);
		put_cred(cred);
	}
	kref_put(&opener->ref, sharded_opener_free);
}

static void sharded_ask_for_clone(struct sharded_opener *opener,
				  unsigned int cpu)
{
	if (READ_ONCE(opener->failures) >= MAX_FAILURES)
		return;
	WRITE_ONCE(opener->cpu, cpu);
	kref_get(&opener->ref);
	if (!queue_work(sharded_workers, &opener->work))
		kref_put(&opener->ref, sharded_opener_free);
}

static struct file *sharded_clone_find(struct sharded_opener *opener,
				       unsigned int cpu)
{
	/* Pairs with sharded_clones_alloc(). */
	struct file **clones = smp_load_acquire(&opener->clones);

	/* Pairs with sharded_clone_keep(). */
	return clones ? smp_load_acquire(&clones[cpu]) : NULL;
}

/* The task may move to another CPU in here: any CPU's clone will do. */
static void sharded_mmap_private(struct vm_area_struct *vma)
{
	struct sharded_opener *opener = vma->vm_file->private_data;
	unsigned int cpu = raw_smp_processor_id();
	struct file *clone = sharded_clone_find(opener, cpu);

	vma_set_anonymous(vma);
	if (clone)
		anonzero_set_file(vma, get_file(clone));
	else
		sharded_ask_for_clone(opener, cpu);
}

static int sharded_open(struct file *file)
{
	struct sharded_opener *opener;

	opener = kzalloc(sizeof(*opener), GFP_KERNEL_ACCOUNT);
	if (!opener)
		return -ENOMEM;
	opener->memcg = get_mem_cgroup_from_mm(current->mm);
	kref_init(&opener->ref);
	INIT_WORK(&opener->work, sharded_work);
	spin_lock_init(&opener->lock);
	opener->file = file;
	file->private_data = opener;
	return 0;
}

/* Runs for user files and for clones; a user's file drops the clones it holds. */
static void sharded_release(struct file *file)
{
	struct sharded_opener *opener = file->private_data;
	struct file **clones;
	unsigned int cpu;

	spin_lock(&opener->lock);
	opener->file = NULL;
	/* No clone is published after this, but the work may still make the array. */
	clones = READ_ONCE(opener->clones);
	spin_unlock(&opener->lock);
	for (cpu = 0; clones && cpu < nr_cpu_ids; cpu++) {
		if (clones[cpu])
			fput(clones[cpu]);
	}
	if (opener->mapping)
		atomic_long_dec(&sharded_nr_clones);
	kfree(opener->mapping);
	kref_put(&opener->ref, sharded_opener_free);
}

static int sharded_init(void)
{
	sharded_workers = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND, 0);
	return sharded_workers ? 0 : -ENOMEM;
}

static void sharded_exit(void)
{
	destroy_workqueue(sharded_workers);
}

const struct anonzero_design anonzero_sharded = {
	.name		= "sharded",
	.by_hook	= true,
	.init		= sharded_init,
	.exit		= sharded_exit,
	.open		= sharded_open,
	.release	= sharded_release,
	.mmap_private	= sharded_mmap_private,
};
