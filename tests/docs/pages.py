# SPDX-License-Identifier: Apache-2.0
"""Finds the Markdown pages of a tree."""

import os
import pathlib
import re

# Build trees and virtual environments hold pages of other projects.
SKIPPED = re.compile(r"\..*|build|build-.*|node_modules|target|out|__pycache__")


def pages(root):
    """The paths of all pages, relative to the root."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not SKIPPED.fullmatch(name))
        found += [pathlib.Path(folder, name).relative_to(root) for name in sorted(files) if name.endswith(".md")]
    return found
