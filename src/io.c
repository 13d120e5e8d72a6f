// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read, write, seek and splice: the answers of /dev/zero on the running kernel,
 * down to partial results and errnos.
 */
#include "anonzero.h"

#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

/**
 * anonzero_llseek() - the nodes' ->llseek: the position is always 0
 * @file: the opened node
 * @offset: ignored
 * @whence: ignored; not even checked
 *
 * Return: 0.
 */
loff_t anonzero_llseek(struct file *file, loff_t offset, int whence)
{
	file->f_pos = 0;
	return 0;
}

/**
 * anonzero_read() - the nodes' ->read
 * @file: the opened node
 * @buf: where to put zeroes
 * @count: bytes
 * @ppos: untouched
 *
 * Zeroes a page at a time, so that a signal can interrupt a long read.
 *
 * Context: process context, may sleep.
 * Return: bytes zeroed, fewer than @count after a fault or a signal; -EFAULT
 * where not one byte could be.
 */
ssize_t anonzero_read(struct file *file, char __user *buf, size_t count,
		      loff_t *ppos)
{
	size_t done = 0;

	while (done < count) {
		size_t chunk = min_t(size_t, count - done, PAGE_SIZE);
		size_t left = clear_user(buf + done, chunk);

		done += chunk - left;
		if (left)
			return done ? done : -EFAULT;
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

/**
 * anonzero_read_iter() - the nodes' ->read_iter
 * @iocb: the request; IOCB_NOWAIT is honoured
 * @to: where to put zeroes
 *
 * Context: process context; sleeps only without IOCB_NOWAIT.
 * Return: bytes zeroed, fewer than asked for after a fault, a signal or where
 * it may not wait for the CPU; -EFAULT, -ERESTARTSYS or -EAGAIN where that
 * came before the first byte.
 */
ssize_t anonzero_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	ssize_t done = 0;

	while (iov_iter_count(to)) {
		size_t chunk = min_t(size_t, iov_iter_count(to), PAGE_SIZE);
		size_t n = iov_iter_zero(chunk, to);

		if (!n && iov_iter_count(to))
			return done ? done : -EFAULT;
		done += n;
		if (signal_pending(current))
			return done ? done : -ERESTARTSYS;
		if (!need_resched())
			continue;
		if (iocb->ki_flags & IOCB_NOWAIT)
			return done ? done : -EAGAIN;
		cond_resched();
	}
	return done;
}

/**
 * anonzero_write() - the nodes' ->write: takes everything, looks at nothing
 * @file: the opened node
 * @buf: ignored
 * @count: bytes
 * @ppos: untouched
 *
 * Return: @count.
 */
ssize_t anonzero_write(struct file *file, const char __user *buf, size_t count,
		       loff_t *ppos)
{
	return count;
}

/**
 * anonzero_write_iter() - the nodes' ->write_iter
 * @iocb: the request
 * @from: consumed unread
 *
 * Return: the bytes @from held.
 */
ssize_t anonzero_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	size_t count = iov_iter_count(from);

	iov_iter_advance(from, count);
	return count;
}

static int io_discard(struct pipe_inode_info *pipe, struct pipe_buffer *buf,
		      struct splice_desc *sd)
{
	return sd->len;
}

/**
 * anonzero_splice_write() - the nodes' ->splice_write: drains the pipe
 * @pipe: the pipe to take from
 * @out: the opened node
 * @ppos: untouched
 * @len: bytes at most
 * @flags: SPLICE_F_*
 *
 * Does what splice_from_pipe() does, which is not exported.
 *
 * Context: process context, may sleep; takes the pipe's lock.
 * Return: bytes taken, or a negative errno.
 */
ssize_t anonzero_splice_write(struct pipe_inode_info *pipe, struct file *out,
			      loff_t *ppos, size_t len, unsigned int flags)
{
	struct splice_desc sd = {
		.total_len	= len,
		.flags		= flags,
		.pos		= *ppos,
		.u.file		= out,
	};
	ssize_t ret;

	pipe_lock(pipe);
	ret = __splice_from_pipe(pipe, &sd, io_discard);
	pipe_unlock(pipe);
	return ret;
}
