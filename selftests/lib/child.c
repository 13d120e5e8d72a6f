// SPDX-License-Identifier: GPL-2.0-only
#include "child.h"

#include <sys/wait.h>

int exit_status(pid_t pid)
{
	int status = -1;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
