/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between kernels: the rest of the module reads as if there were
 * one. docs/kernels.md says which kernels have been tried; between those, doubt the
 * version in a test first.
 */
#ifndef ANONZERO_COMPAT_H
#define ANONZERO_COMPAT_H

#include <linux/version.h>

/*
 * The version decides only what no header shows, which is what follows here. All else
 * goes by types, and by include/compat.
 */
#ifndef COMPAT_VERSION
#define COMPAT_VERSION LINUX_VERSION_CODE
#endif

#if COMPAT_VERSION < KERNEL_VERSION(5, 10, 0)
#error "anonzero needs Linux 5.10 or newer: it has been tried on nothing older"
#endif

/*
 * Where mmap(2) preallocates the VMA tree after ->mmap it may still fail, and then
 * puts vm_file, which is NULL once ->mmap has dropped the file. It does so from the
 * maple tree of 6.1 on, to the fix of 6.12, which 6.1.119 has, too.
 */
#define COMPAT_IS_BETWEEN(first, end) \
	(COMPAT_VERSION >= (first) && COMPAT_VERSION < (end))
#define COMPAT_MMAP_FAILS_AFTER_HOOK					\
	(COMPAT_IS_BETWEEN(KERNEL_VERSION(6, 1, 0), KERNEL_VERSION(6, 1, 119)) || \
	 COMPAT_IS_BETWEEN(KERNEL_VERSION(6, 2, 0), KERNEL_VERSION(6, 12, 0)))

/* What a newer kernel does after ->mmap nobody has read yet. */
#define COMPAT_IS_NEWER_THAN_READ (COMPAT_VERSION >= KERNEL_VERSION(7, 4, 0))

/* shmem_kernel_file_setup() is exported since 6.12. */
#if COMPAT_VERSION >= KERNEL_VERSION(6, 12, 0)
#define COMPAT_SHMEM_KERNEL_FILE
#endif

/* ftrace_free_filter() is exported since 6.1. */
#if COMPAT_VERSION >= KERNEL_VERSION(6, 1, 0)
#define COMPAT_FTRACE_FREE_FILTER
#endif

/* mmap(2) aligns anonymous memory of whole huge pages since 6.7. */
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) &&		\
	COMPAT_VERSION >= KERNEL_VERSION(6, 7, 0)
#define COMPAT_ALIGNS_HUGE
#endif

#ifndef CONFIG_MMU
#error "anonzero needs CONFIG_MMU: without it there is no private mapping of a device"
#endif
#ifndef CONFIG_SHMEM
#error "anonzero needs CONFIG_SHMEM: its shared mappings are shmem objects"
#endif

#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#ifdef HAVE_PFN_TYPE
#include <linux/pfn_t.h>
#define compat_pfn(pfn) pfn_to_pfn_t(pfn)
#else
#define compat_pfn(pfn) (pfn)
#endif

#ifndef HAVE_ANON_VMA_NAME
struct anon_vma_name {
	struct kref kref;
	char name[];
};
#endif

/* Whether this kernel can name anonymous memory. */
#define ANONZERO_CAN_NAME IS_ENABLED(CONFIG_ANON_VMA_NAME)

/**
 * compat_devnode_of() - the callback of a class, for the type that it has here
 * @mutable: where the device is not const
 * @constant: where it is
 *
 * Return: one of the two.
 */
#define compat_devnode_of(mutable, constant)				\
	__builtin_choose_expr(__same_type(((struct class *)NULL)->devnode, \
					  (char *(*)(struct device *,	\
						     umode_t *))NULL),	\
			      mutable, constant)

/**
 * compat_set_anon_name() - name an anonymous VMA
 * @vma: a VMA without vm_file that is not in the tree yet and has no name
 * @name: the name
 *
 * Context: mmap_lock held for writing.
 * The VMA takes over the caller's reference on @name.
 */
static inline void compat_set_anon_name(struct vm_area_struct *vma,
					struct anon_vma_name *name)
{
#ifdef CONFIG_ANON_VMA_NAME
	vma->anon_name = name;
#endif
}

/* The process's own search for a free range, for anonymous memory. */
static inline unsigned long compat_mm_unmapped_area(unsigned long addr,
						    unsigned long len,
						    unsigned long flags)
{
#if defined(HAVE_MM_UNMAPPED_AREA)
	return mm_get_unmapped_area(NULL, addr, len, 0, flags);
#elif defined(HAVE_MM_UNMAPPED_AREA_OF)
	return mm_get_unmapped_area(current->mm, NULL, addr, len, 0, flags);
#else
	return current->mm->get_unmapped_area(NULL, addr, len, 0, flags);
#endif
}

/**
 * compat_anon_unmapped_area() - where MAP_PRIVATE|MAP_ANONYMOUS would be placed
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @flags: MAP_* of mmap(2)
 *
 * Does what __get_unmapped_area() does without a file: since 6.7 a request of
 * whole PMDs without a hint is aligned for huge pages.
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
static inline unsigned long compat_anon_unmapped_area(unsigned long addr,
						      unsigned long len,
						      unsigned long flags)
{
#ifdef COMPAT_ALIGNS_HUGE
	if (!addr && IS_ALIGNED(len, PMD_SIZE))
		return thp_get_unmapped_area(NULL, addr, len, 0, flags);
#endif
	return compat_mm_unmapped_area(addr, len, flags);
}

/**
 * compat_insert_zero_page() - map the shared zero page into a file mapping
 * @vma: a private mapping
 * @addr: of the page
 *
 * Context: page fault; mmap_lock or the VMA's lock held for reading.
 * Return: VM_FAULT_NOPAGE or VM_FAULT_OOM.
 */
static inline vm_fault_t compat_insert_zero_page(struct vm_area_struct *vma,
						 unsigned long addr)
{
	unsigned long pfn = page_to_pfn(ZERO_PAGE(addr));

	return vmf_insert_mixed(vma, addr, compat_pfn(pfn));
}

/* What shmem takes of a VMA's flags. */
#ifdef HAVE_SHMEM_VMA_FLAGS
#define compat_vma_flags(vma) ((vma)->flags)
#else
#define compat_vma_flags(vma) ((vma)->vm_flags)
#endif

/**
 * compat_shmem_object() - make the object behind one shared mapping
 * @vma: the mapping that will use it; gives size and accounting flags
 *
 * Like shmem_zero_setup(), which vanilla kernels do not export: the inode is
 * S_PRIVATE because it can only be reached through the mapping, and because a
 * security module must not take its locks on it under mmap_lock.
 *
 * Context: mmap_lock held for writing. May sleep.
 * Return: the file, owned by the caller, or an ERR_PTR.
 */
static inline struct file *compat_shmem_object(struct vm_area_struct *vma)
{
	loff_t size = vma->vm_end - vma->vm_start;
#ifdef COMPAT_SHMEM_KERNEL_FILE
	return shmem_kernel_file_setup("dev/zero", size, compat_vma_flags(vma));
#else
	struct file *file = shmem_file_setup("dev/zero", size,
					     compat_vma_flags(vma));

	/* Nobody else can have seen the inode yet: it was never linked. */
	if (!IS_ERR(file))
		file_inode(file)->i_flags |= S_PRIVATE;
	return file;
#endif
}

/**
 * compat_call_mmap() - let the file system of a file set up a mapping of it
 * @file: the file, already @vma's vm_file
 * @vma: the mapping, not in the tree yet
 *
 * Context: mmap_lock held for writing.
 * Return: 0 or a negative errno.
 */
static inline int compat_call_mmap(struct file *file, struct vm_area_struct *vma)
{
#ifdef HAVE_VFS_MMAP
	return vfs_mmap(file, vma);
#else
	return call_mmap(file, vma);
#endif
}

/**
 * compat_swap_active_memcg() - have another memory cgroup pay for this task
 * @memcg: the cgroup, or NULL for the task's own
 *
 * Does what set_active_memcg() does for a task, which 5.10 has not for modules.
 *
 * Context: task context.
 * Return: what was set before.
 */
static inline struct mem_cgroup *compat_swap_active_memcg(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	swap(current->active_memcg, memcg);
#endif
	return memcg;
}

/**
 * compat_init_mapping() - make an address_space that nothing uses yet
 * @mapping: zeroed or not
 *
 * Does what inode_init_always() does to the one that is part of an inode.
 */
static inline void compat_init_mapping(struct address_space *mapping)
{
	address_space_init_once(mapping);
#ifdef HAVE_INVALIDATE_LOCK
	init_rwsem(&mapping->invalidate_lock);
#endif
}

#ifdef CONFIG_FUNCTION_TRACER
/**
 * compat_free_filter() - free what an ops was told to trace
 * @ops: not registered
 *
 * Where the function for this is not exported, the filter is set to nothing.
 *
 * Context: process context; sleeps.
 */
static inline void compat_free_filter(struct ftrace_ops *ops)
{
#ifdef COMPAT_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}
#endif

/*
 * The three declarations that do_mmap() has had. A kernel with another one is not
 * probed.
 */
typedef unsigned long compat_do_mmap_six(struct file *file, unsigned long addr,
					 unsigned long len, unsigned long prot,
					 unsigned long flags,
					 unsigned long pgoff,
					 unsigned long *populate,
					 struct list_head *uf);
typedef unsigned long compat_do_mmap_vm_flags(struct file *file,
					      unsigned long addr,
					      unsigned long len,
					      unsigned long prot,
					      unsigned long flags,
					      vm_flags_t vm_flags,
					      unsigned long pgoff,
					      unsigned long *populate,
					      struct list_head *uf);
#ifdef HAVE_VMA_FLAGS_TYPE
typedef unsigned long compat_do_mmap_vma_flags(struct file *file,
					       unsigned long addr,
					       unsigned long len,
					       unsigned long prot,
					       unsigned long flags,
					       vma_flags_t vma_flags,
					       unsigned long pgoff,
					       unsigned long *populate,
					       struct list_head *uf);
#define COMPAT_VMA_FLAGS_SIZE sizeof(vma_flags_t)
#else
#define compat_do_mmap_vma_flags compat_do_mmap_vm_flags
#define COMPAT_VMA_FLAGS_SIZE sizeof(vm_flags_t)
#endif

/**
 * compat_do_mmap_has_flags() - whether do_mmap() takes VMA flags before pgoff
 *
 * Return: whether; the flags are as large as a register.
 */
static inline bool compat_do_mmap_has_flags(void)
{
	return __same_type(do_mmap, compat_do_mmap_vm_flags) ||
	       (__same_type(do_mmap, compat_do_mmap_vma_flags) &&
		COMPAT_VMA_FLAGS_SIZE == sizeof(long));
}

#endif /* ANONZERO_COMPAT_H */
