# SPDX-License-Identifier: Apache-2.0
"""The command line that the checkers of this folder share: check_X.py ROOT."""

import pathlib
import sys


def run(check, usage):
    """Prints check(root)'s defects, one per line; exits 1 if there are any."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
