# SPDX-License-Identifier: Apache-2.0
"""Finds the Markdown pages of a tree."""

import os
import pathlib

SKIPPED = {"node_modules", "target", "out", "__pycache__"}


def is_source(folder):
    """Build trees and virtual environments hold pages of other projects."""
    return folder not in SKIPPED and not folder.startswith((".", "build"))


def pages(root):
    """The paths of all pages, relative to the root."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(filter(is_source, folders))
        found += [pathlib.Path(folder, name).relative_to(root) for name in sorted(files) if name.endswith(".md")]
    return found
