// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of the running kernel's own /dev/zero, which answer for everything
 * but private mappings. The kernel exports none of them. Opening the device finds
 * them, and needs no path: a character device is its number.
 */
#include "anonzero.h"

#include <linux/anon_inodes.h>
#include <linux/cdev.h>
#include <linux/file.h>
#include <linux/mount.h>

static const struct file_operations zero_no_fops;

/* They are part of the kernel image, and so outlive the file they are read from. */
static const struct file_operations *zero_fops;

/* Of FMODE_NOWAIT what the device gives to a file that is opened. */
static fmode_t zero_nowait;

/* An inode of /dev/zero, as a file system makes it of a device node. */
static struct inode *zero_inode(struct super_block *sb)
{
	struct inode *inode = alloc_anon_inode(sb);

	if (!IS_ERR(inode))
		init_special_inode(inode, S_IFCHR | 0600, ANONZERO_ZERO_DEVT);
	return inode;
}

/* Opens an inode of /dev/zero on the mount that all anonymous inodes are on. */
static struct file *zero_open(struct vfsmount *mnt)
{
	struct inode *inode = zero_inode(mnt->mnt_sb);
	struct file *file;
	int ret;

	if (IS_ERR(inode))
		return ERR_CAST(inode);
	file = alloc_file_pseudo(inode, mnt, "zero", O_RDWR, inode->i_fop);
	if (IS_ERR(file)) {
		iput(inode);
		return file;
	}
	ret = file->f_op->open(inode, file);
	if (!ret)
		return file;
	fput(file);
	return ERR_PTR(ret);
}

/**
 * anonzero_zero_init() - find the operations, and take those that nodes share
 * @fops: what nodes have; read, write, seek and splice become those of /dev/zero
 *
 * Context: module load; sleeps.
 * Return: 0 or a negative errno.
 */
int anonzero_zero_init(struct file_operations *fops)
{
	struct file *anon, *zero;

	anon = anon_inode_getfile("[anonzero]", &zero_no_fops, NULL, O_RDWR);
	if (IS_ERR(anon))
		return PTR_ERR(anon);
	/* It is put when this task returns: by then a failed load is gone. */
	replace_fops(anon, file_inode(anon)->i_fop);
	zero = zero_open(anon->f_path.mnt);
	fput(anon);
	if (IS_ERR(zero))
		return PTR_ERR(zero);
	zero_fops = zero->f_op;
	zero_nowait = zero->f_mode & FMODE_NOWAIT;
	fput(zero);

	fops->llseek = zero_fops->llseek;
	fops->read = zero_fops->read;
	fops->read_iter = zero_fops->read_iter;
	fops->write = zero_fops->write;
	fops->write_iter = zero_fops->write_iter;
	fops->splice_read = zero_fops->splice_read;
	fops->splice_write = zero_fops->splice_write;
	return 0;
}

/**
 * anonzero_zero_open() - do to a file of a node what opening /dev/zero does
 * @file: that is being opened
 *
 * Context: ->open.
 */
void anonzero_zero_open(struct file *file)
{
	file->f_mode |= zero_nowait;
}

/**
 * anonzero_zero_hand_over() - make a file of a node one of /dev/zero
 * @file: that is being opened, and was given to anonzero_zero_open(); it has none
 *	of the nodes' operations afterwards
 *
 * The character device that was opened still holds the module until the file is
 * released.
 *
 * Context: ->open.
 */
void anonzero_zero_hand_over(struct file *file)
{
	replace_fops(file, zero_fops);
}

/**
 * anonzero_zero_unmapped_area() - where /dev/zero places a mapping
 * @file: the opened node
 * @addr: the hint of mmap(2)
 * @len: bytes
 * @pgoff: page offset into @file
 * @flags: MAP_* of mmap(2); with MAP_SHARED it is placed as shmem is
 *
 * Context: mmap_lock held for writing.
 * Return: the address found, or a negative errno.
 */
unsigned long anonzero_zero_unmapped_area(struct file *file, unsigned long addr,
					  unsigned long len, unsigned long pgoff,
					  unsigned long flags)
{
	return zero_fops->get_unmapped_area(file, addr, len, pgoff, flags);
}
