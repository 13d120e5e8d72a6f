/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what /proc says of this process's memory, and other files of /proc.
 */
#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct vma - one line of /proc/self/maps
 * @start: first address
 * @end: first address behind the VMA
 * @perms: "rwxp" and the like
 * @offset: offset into the file, in bytes
 * @major: major number of the device
 * @minor: minor number of the device
 * @inode: number of the inode
 * @name: path or name, empty if there is none
 * @line: the whole line without its newline
 */
struct vma {
	unsigned long start;
	unsigned long end;
	char perms[5];
	unsigned long offset;
	unsigned int major;
	unsigned int minor;
	unsigned long inode;
	char name[256];
	char line[512];
};

/**
 * proc_vma() - find the VMA at an address, in /proc/self/maps
 * @addr: any address in the VMA
 * @vma: filled in
 *
 * Return: whether there is one.
 */
bool proc_vma(const void *addr, struct vma *vma);

/**
 * proc_is_anonymous() - whether an address is in anonymous memory, from
 * /proc/self/maps
 * @addr: the address
 *
 * Return: whether there is a VMA that has neither an inode nor a name.
 */
bool proc_is_anonymous(const void *addr);

/**
 * proc_count_vmas() - count the VMAs that reach into a range, in /proc/self/maps
 * @addr: start of the range
 * @len: bytes
 *
 * Return: the count, or -1 where /proc/self/maps cannot be read.
 */
int proc_count_vmas(const void *addr, size_t len);

/**
 * proc_smaps() - read the entry of a VMA in /proc/self/smaps
 * @addr: any address in the VMA
 * @entry: filled with the entry's lines "field: value"
 * @size: bytes of @entry; an entry takes some 1500
 *
 * Return: whether there is a VMA.
 */
bool proc_smaps(const void *addr, char *entry, size_t size);

/**
 * smaps_field() - find the value of a field in an entry of smaps
 * @entry: from proc_smaps()
 * @field: what stands before the colon
 * @value: filled with what stands behind the colon, without blanks around it
 * @size: bytes of @value
 *
 * Return: whether there is such a line.
 */
bool smaps_field(const char *entry, const char *field, char *value, size_t size);

/**
 * proc_smaps_field() - find the value of a field of a VMA, in /proc/self/smaps
 * @addr: any address in the VMA
 * @field: what stands before the colon
 * @value: filled with what stands behind the colon, without blanks around it
 * @size: bytes of @value
 *
 * Return: whether the VMA has such a field.
 */
bool proc_smaps_field(const void *addr, const char *field, char *value,
		      size_t size);

/**
 * proc_smaps_vma() - find the VMA at an address, in /proc/self/smaps
 * @addr: any address in the VMA
 * @vma: filled in
 *
 * Return: whether there is one.
 */
bool proc_smaps_vma(const void *addr, struct vma *vma);

/**
 * proc_smaps_kb() - find the number in a field of a VMA, in /proc/self/smaps
 * @addr: any address in the VMA
 * @field: what stands before the colon
 *
 * Return: KiB, or -1 where the VMA has no such field.
 */
long proc_smaps_kb(const void *addr, const char *field);

/**
 * proc_numa_line() - find the line of a VMA in /proc/self/numa_maps
 * @start: first address of the VMA
 * @line: filled with the line, without the address
 * @size: bytes of @line
 *
 * Return: 0; -1 with errno set, ENOENT also where the kernel has no such file.
 */
int proc_numa_line(const void *start, char *line, size_t size);

/**
 * proc_map_files() - read where the map_files entry of a VMA points
 * @vma: from proc_vma()
 * @target: filled in
 * @size: bytes of @target
 *
 * Return: 0; -1 with errno set, ENOENT where there is no entry.
 */
int proc_map_files(const struct vma *vma, char *target, size_t size);

/**
 * proc_number() - read the first number in a file
 * @path: path of the file
 *
 * Return: the number, or -1 where the file does not start with one.
 */
long proc_number(const char *path);

/**
 * proc_slab() - count the objects of a slab cache in use, from /proc/slabinfo
 * @cache: name of the cache
 * @size: set to the bytes of an object; or NULL
 *
 * Up to some dozens of objects that the cache keeps for reuse count as in use.
 *
 * Return: how many are in use by all processes; -1 where that cannot be read.
 */
long proc_slab(const char *cache, long *size);

/**
 * proc_slab_shrink() - free what a slab cache keeps for reuse; needs root
 * @cache: name of the cache
 */
void proc_slab_shrink(const char *cache);

/**
 * proc_write() - write a string to a file in one write(2)
 * @path: path of the file
 * @text: the string
 *
 * Return: 0; -1 with errno set.
 */
int proc_write(const char *path, const char *text);

/**
 * proc_append() - append a string to a file in one write(2)
 * @path: path of the file
 * @text: the string
 *
 * Return: 0; -1 with errno set.
 */
int proc_append(const char *path, const char *text);

/**
 * proc_symbol() - look up a symbol of the kernel in /proc/kallsyms
 * @name: its name
 * @address: set to its address, which only root is told, or NULL
 *
 * Return: whether the kernel has it.
 */
bool proc_symbol(const char *name, unsigned long *address);

/**
 * kernel_at_least() - whether the running kernel is of a release or a newer one
 * @major: first number of the release
 * @minor: second number of the release
 *
 * This is for behaviour that is known to have changed with a release, and that the
 * kernel gives no other sign of.
 *
 * Return: whether it is, by uname(2).
 */
bool kernel_at_least(int major, int minor);

#endif /* PROC_H */
