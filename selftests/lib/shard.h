/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the clones of the design "sharded" by the module's use count, in which
 * each open file counts: a clone as well as a user's.
 */
#ifndef SHARD_H
#define SHARD_H

#include <stdbool.h>
#include <stddef.h>

/**
 * shard_step() - find by how much an open file raises the use count
 *
 * Return: the number, which the first call finds out.
 */
long shard_step(void);

/**
 * shard_files_become() - wait until the use count has a value
 * @count: the value
 *
 * The kernel frees files, and the module opens clones, a little later.
 *
 * Return: whether it got the value within some seconds.
 */
bool shard_files_become(long count);

/**
 * shard_settle() - map once, and wait until this CPU has its clone of a file
 * @fd: the file; the caller must be pinned to the CPU
 *
 * Return: whether it got one within some seconds.
 */
bool shard_settle(int fd);

/**
 * proc_all_text() - read what maps, smaps, numa_maps and map_files say of a mapping
 * @addr: first address of the mapping
 * @node: how the path of its file ends; becomes "NODE" in the text
 * @text: filled in, without the numbers of device and inode
 * @size: bytes of @text
 *
 * Return: whether maps, smaps and map_files have the mapping.
 */
bool proc_all_text(const void *addr, const char *node, char *text, size_t size);

#endif /* SHARD_H */
