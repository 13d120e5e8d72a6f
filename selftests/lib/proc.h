/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc says of this process's memory.
 */
#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct vma - one line of /proc/self/maps
 * @start: first address
 * @end: first address behind it
 * @perms: "rwxp" and the like
 * @offset: bytes
 * @major: of the device
 * @minor: of the device
 * @inode: number
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
 * proc_vma() - the VMA at an address, from /proc/self/maps
 * @addr: any address in it
 * @vma: filled in
 *
 * Return: whether there is one.
 */
bool proc_vma(const void *addr, struct vma *vma);

/**
 * proc_count_vmas() - how many VMAs reach into a range, from /proc/self/maps
 * @addr: start of the range
 * @len: bytes
 *
 * Return: the count, or -1 where /proc/self/maps cannot be read.
 */
int proc_count_vmas(const void *addr, size_t len);

/**
 * proc_smaps() - what /proc/self/smaps has of the VMA at an address
 * @addr: any address in it
 * @entry: filled with the lines "field: value" that it has
 * @size: of @entry; some 1500 are in use
 *
 * Return: whether there is a VMA.
 */
bool proc_smaps(const void *addr, char *entry, size_t size);

/**
 * smaps_field() - one of those lines
 * @entry: from proc_smaps()
 * @field: as it stands before the colon
 * @value: filled with what stands behind it, blanks trimmed
 * @size: of @value
 *
 * Return: whether there is such a line.
 */
bool smaps_field(const char *entry, const char *field, char *value, size_t size);

/**
 * proc_smaps_field() - a field of the VMA at an address, from /proc/self/smaps
 * @addr: any address in it
 * @field: as it stands before the colon
 * @value: filled with what stands behind it, blanks trimmed
 * @size: of @value
 *
 * Return: whether the VMA has such a field.
 */
bool proc_smaps_field(const void *addr, const char *field, char *value,
		      size_t size);

/**
 * proc_smaps_vma() - proc_vma(), from the lines of /proc/self/smaps
 * @addr: any address in it
 * @vma: filled in
 *
 * Return: whether there is one.
 */
bool proc_smaps_vma(const void *addr, struct vma *vma);

/**
 * proc_smaps_kb() - a number from /proc/self/smaps
 * @addr: any address in the VMA
 * @field: as it stands before the colon
 *
 * Return: KiB, or -1 where the VMA has no such field.
 */
long proc_smaps_kb(const void *addr, const char *field);

/**
 * proc_numa_line() - the line of the VMA that starts at an address, from
 * /proc/self/numa_maps
 * @start: of the VMA
 * @line: filled in, without the address
 * @size: of @line
 *
 * Return: 0; -1 with errno set, ENOENT also where the kernel has no such file.
 */
int proc_numa_line(const void *start, char *line, size_t size);

/**
 * proc_map_files() - what the map_files entry of a VMA links to
 * @vma: from proc_vma()
 * @target: filled in
 * @size: of @target
 *
 * Return: 0; -1 with errno set, ENOENT where there is no entry.
 */
int proc_map_files(const struct vma *vma, char *target, size_t size);

/**
 * proc_number() - the first number in a file
 * @path: of the file
 *
 * Return: the number, or -1 where there is none.
 */
long proc_number(const char *path);

/**
 * proc_slab() - what a slab cache has in use, from /proc/slabinfo
 * @cache: its name
 * @size: filled in with the bytes of an object, or NULL
 *
 * What slabs keep for reuse counts as in use, up to some dozens of objects.
 *
 * Return: how many objects, of all processes; -1 where it is not to be had.
 */
long proc_slab(const char *cache, long *size);

/**
 * proc_slab_shrink() - give back what a slab cache keeps for reuse; takes root
 * @cache: its name
 */
void proc_slab_shrink(const char *cache);

/**
 * proc_write() - write a string to a file in one write(2)
 * @path: of the file
 * @text: what to write
 *
 * Return: 0; -1 with errno set.
 */
int proc_write(const char *path, const char *text);

/**
 * proc_append() - proc_write() without truncating the file
 * @path: of the file
 * @text: what to append
 *
 * Return: 0; -1 with errno set.
 */
int proc_append(const char *path, const char *text);

/**
 * kernel_at_least() - whether the running kernel is that new, from uname(2)
 * @major: of the release
 * @minor: of the release
 *
 * For what a release is known to answer differently, where the kernel has no
 * other sign of it.
 *
 * Return: whether it is.
 */
bool kernel_at_least(int major, int minor);

#endif /* PROC_H */
