/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Seeing the clones of the design "sharded": each open file of the module, a
 * clone as well as a user's, counts in its use count.
 */
#ifndef SHARD_H
#define SHARD_H

#include <stdbool.h>
#include <stddef.h>

/**
 * shard_step() - by what an open file raises the use count
 *
 * Return: the number, found out at the first call.
 */
long shard_step(void);

/**
 * shard_files_become() - wait until the use count has a value
 * @count: the value
 *
 * Files are put, and clones are opened, a little later.
 *
 * Return: whether it had it within some seconds.
 */
bool shard_files_become(long count);

/**
 * shard_settle() - map once, and wait until this CPU has its clone of a file
 * @fd: the file; the caller is pinned to the CPU
 *
 * Return: whether it got one within some seconds.
 */
bool shard_settle(int fd);

/**
 * proc_all_text() - what maps, smaps, numa_maps and map_files say of a mapping
 * @addr: its first address
 * @node: how the path of its file ends; becomes "NODE" in the text
 * @text: filled in, without the numbers of device and inode
 * @size: of @text
 *
 * Return: whether all of them say something.
 */
bool proc_all_text(const void *addr, const char *node, char *text, size_t size);

#endif /* SHARD_H */
