/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between kernels: the rest of the module reads as if there were
 * one. docs/kernels.md says which kernels have been tried; between those, doubt the
 * version in a test first.
 */
#ifndef ANONZERO_COMPAT_H
#define ANONZERO_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "anonzero needs Linux 6.1 or newer: older kernels do not export vma_set_file()"
#endif
/*
 * What drops vm_file in ->mmap needs that nothing can fail afterwards: the error
 * path of mmap_region() puts vm_file, which is NULL then. Headers do not show it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 119)
#error "anonzero is not for 6.1 before 6.1.119: mmap(2) may fail there after ->mmap, and oops"
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "anonzero is not for Linux 6.2 to 6.11: mmap(2) may fail there after ->mmap, and oops"
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0)
#error "anonzero is not for Linux 7.4 or newer: mmap(2) takes no anonymous mapping from ->mmap"
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
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
#endif

/* Since 6.7 /dev/zero takes part in splice(2); before, that is EINVAL. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define compat_splice_read copy_splice_read
#define compat_splice_write anonzero_splice_write
#else
#define compat_splice_read NULL
#define compat_splice_write NULL
#endif

/* Whether this kernel can name anonymous memory. */
#define ANONZERO_CAN_NAME IS_ENABLED(CONFIG_ANON_VMA_NAME)

/* Since 6.2 a class's devnode callback takes a const device. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_devnode_device const struct device
#else
#define compat_devnode_device struct device
#endif

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

/**
 * compat_mm_unmapped_area() - the process's own search for a free range
 * @file: the file to map, or NULL for anonymous memory
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @pgoff: page offset into @file
 * @flags: MAP_* of mmap(2)
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
static inline unsigned long compat_mm_unmapped_area(struct file *file,
						    unsigned long addr,
						    unsigned long len,
						    unsigned long pgoff,
						    unsigned long flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff, flags);
#else
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
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
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	if (!addr && IS_ALIGNED(len, PMD_SIZE))
		return thp_get_unmapped_area(NULL, addr, len, 0, flags);
#endif
	return compat_mm_unmapped_area(NULL, addr, len, 0, flags);
}

/**
 * compat_zero_unmapped_area() - where this kernel's /dev/zero places a private map
 * @file: the opened device
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @pgoff: page offset into @file
 * @flags: MAP_* of mmap(2)
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
static inline unsigned long compat_zero_unmapped_area(struct file *file,
						      unsigned long addr,
						      unsigned long len,
						      unsigned long pgoff,
						      unsigned long flags)
{
#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return thp_get_unmapped_area(file, addr, len, pgoff, flags);
#else
	return compat_mm_unmapped_area(file, addr, len, pgoff, flags);
#endif
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
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return vmf_insert_mixed(vma, addr, pfn);
#else
	return vmf_insert_mixed(vma, addr, pfn_to_pfn_t(pfn));
#endif
}

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
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return shmem_kernel_file_setup("dev/zero", size, vma->flags);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return shmem_kernel_file_setup("dev/zero", size, vma->vm_flags);
#else
	struct file *file = shmem_file_setup("dev/zero", size, vma->vm_flags);

	/* Nobody else can have seen the inode yet: it was never linked. */
	if (!IS_ERR(file))
		file_inode(file)->i_flags |= S_PRIVATE;
	return file;
#endif
}

/**
 * compat_probe_file() - a shmem file to learn shmem's file_operations from
 *
 * Context: process context, may sleep.
 * Return: an empty unlinked file, owned by the caller, or an ERR_PTR.
 */
static inline struct file *compat_probe_file(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return shmem_file_setup("anonzero", 0, EMPTY_VMA_FLAGS);
#else
	return shmem_file_setup("anonzero", 0, 0);
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
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return vfs_mmap(file, vma);
#else
	return call_mmap(file, vma);
#endif
}

/*
 * do_mmap() got an argument of VMA flags in 6.6, whose type changed in 7.x. A
 * kernel that declares it in another way is not probed.
 */
typedef unsigned long compat_do_mmap_old(struct file *file, unsigned long addr,
					 unsigned long len, unsigned long prot,
					 unsigned long flags,
					 unsigned long pgoff,
					 unsigned long *populate,
					 struct list_head *uf);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define compat_vma_flags vma_flags_t
#else
#define compat_vma_flags vm_flags_t
#endif
typedef unsigned long compat_do_mmap_new(struct file *file, unsigned long addr,
					 unsigned long len, unsigned long prot,
					 unsigned long flags,
					 compat_vma_flags vma_flags,
					 unsigned long pgoff,
					 unsigned long *populate,
					 struct list_head *uf);

#endif /* ANONZERO_COMPAT_H */
