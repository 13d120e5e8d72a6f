# SPDX-License-Identifier: GPL-2.0-only
"""What the Python scripts share: how they are called, and how they fail."""

import os
import subprocess
import sys


def name():
    """Returns the script's name."""
    return os.path.basename(sys.argv[0])


def fail(why):
    """Ends the script with status 1 and one sentence."""
    sys.exit(f"{name()}: {why}")


def run(main):
    """Calls main with the script's arguments, and exits with the status it returns.

    -h prints the script's own documentation. If a file cannot be read, or output
    cannot be written, the script fails with one sentence.
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
        # Python would try to write the rest of the output again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        fail(f"cannot write all of the output: {error.strerror}")
    except subprocess.CalledProcessError as error:
        fail(f"{error.cmd[0]} failed with status {error.returncode}")
    sys.exit(status)
