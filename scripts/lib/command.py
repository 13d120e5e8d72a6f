# SPDX-License-Identifier: GPL-2.0-only
"""What the Python scripts share: how each is called, and how it fails."""

import os
import subprocess
import sys


def name():
    """The script's own name."""
    return os.path.basename(sys.argv[0])


def fail(why):
    """Leaves with one sentence."""
    sys.exit(f"{name()}: {why}")


def run(main):
    """Calls main with the arguments, and leaves with the status it returns.

    -h prints the script's own documentation. A file that cannot be read, and
    output that cannot be written, are failures with a sentence each.
    """
    if sys.stdout is None:
        fail("standard output is closed")
    try:
        if sys.argv[1:] == ["-h"]:
            print(sys.modules["__main__"].__doc__)
            status = None
        else:
            status = main(*sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:
            fail(f"{error.filename}: {error.strerror}")
        # What is still buffered would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        fail(f"cannot write all of the output: {error.strerror}")
    except subprocess.CalledProcessError as error:
        fail(f"{error.cmd[0]} failed with status {error.returncode}")
    sys.exit(status)
