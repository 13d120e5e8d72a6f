// SPDX-License-Identifier: GPL-2.0-only
#include "uring.h"

static long submit(struct io_uring *ring, unsigned int flags)
{
	struct io_uring_cqe *cqe;
	long ret;

	ring->sq.sqes->flags |= flags;
	ret = io_uring_submit(ring);
	if (ret < 0)
		return ret;
	ret = io_uring_wait_cqe(ring, &cqe);
	return ret ? ret : cqe->res;
}

/* Makes one request, IORING_OP_READ or IORING_OP_WRITE, on a ring of its own. */
static long request(int op, int fd, const void *buffer, size_t size,
		    unsigned int flags)
{
	struct io_uring ring;
	long ret = io_uring_queue_init(1, &ring, 0);

	if (ret)
		return ret;
	io_uring_prep_rw(op, io_uring_get_sqe(&ring), fd, buffer, size, 0);
	ret = submit(&ring, flags);
	io_uring_queue_exit(&ring);
	return ret;
}

long uring_read(int fd, void *buffer, size_t size, unsigned int flags)
{
	return request(IORING_OP_READ, fd, buffer, size, flags);
}

long uring_write(int fd, const void *buffer, size_t size, unsigned int flags)
{
	return request(IORING_OP_WRITE, fd, buffer, size, flags);
}

int uring_register(void *buffer, size_t size)
{
	struct iovec iov = { buffer, size };
	struct io_uring ring;
	int ret = io_uring_queue_init(1, &ring, 0);

	if (ret)
		return ret;
	ret = io_uring_register_buffers(&ring, &iov, 1);
	io_uring_queue_exit(&ring);
	return ret;
}
