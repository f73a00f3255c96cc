# SPDX-License-Identifier: Apache-2.0
"""What gcov counted below a folder of objects: lines and branches of the sources, over all copies that were compiled.

The library is compiled as it ships, with hooks for tests, and in part for the fake driver; a line is reached if it is in
any of them. Of branches, those count that the source has: what the compiler adds for exceptions is left out.
"""
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# A line of braces, or one that only deletes: the compiler adds the branch for a null pointer, the source has none.
NO_BRANCH = re.compile(r"^[\s{}();]*(?:delete(?:\[\])? [^;]*;)?\s*(?://.*)?$")
# Hooks that only the builds for tests have; and the simulated driver, which is what most of these tests run on.
NOT_COUNTED = re.compile(r"src/(?:base/testing\.hpp$|simulated/)")
LEFT_OUT = re.compile(r"// not reached: \S")
ONE_SIDED = re.compile(r"// one-sided: \S")


class Line:
    def __init__(self):
        self.count = 0
        # Copies of a line may have different branches, since macros expand differently. How many -> counts.
        self.branches = {}

    def add(self, count, branches):
        self.count += count
        if branches:
            sums = self.branches.setdefault(len(branches), [0] * len(branches))
            for place, taken in enumerate(branches):
                sums[place] += taken

    def taken(self):
        """The branches of the copy that ran most."""
        return max(self.branches.values(), key=sum, default=[])


def own_branches(branches):
    """The counts without those of calls that may throw: each is a pair, the second of which is the exception."""
    counts = []
    for branch in branches:
        if branch["throw"]:
            if counts:
                counts.pop()
        else:
            counts.append(branch["count"])
    return counts


def read_object(notes):
    """gcov's JSON of one object."""
    data = notes.with_suffix(".gcda")
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data if data.exists() else notes],
                          cwd=notes.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def collect(build, root, folder, jobs):
    """path -> line number -> Line, for the sources in root/folder"""
    found = {}
    wanted = (root / folder).resolve()
    with ThreadPoolExecutor(jobs) as pool:
        for document in pool.map(read_object, sorted(build.rglob("*.gcno"))):
            for file in document["files"]:
                path = Path(os.path.normpath(Path(document["current_working_directory"]) / file["file"]))
                if path.is_relative_to(wanted) and not NOT_COUNTED.match(str(path.relative_to(root))):
                    add(found.setdefault(str(path.relative_to(root)), {}), file["lines"])
    return found


def add(lines, records):
    for record in records:
        lines.setdefault(record["line_number"], Line()).add(record["count"], own_branches(record["branches"]))


def marked(marker, source, number):
    """True if the line's own comment, or the comment on a line of its own before it, is such a marker."""
    before = source[number - 2].strip() if number > 1 else ""
    return marker.search(source[number - 1]) or (before.startswith("//") and marker.match(before))


def judge(text, lines):
    """(number, reached, branches) of each line that counts. Exceptions and lines without code do not."""
    source = text.splitlines()
    for number, line in sorted(lines.items()):
        if number > len(source) or marked(LEFT_OUT, source, number):
            continue
        branches = line.taken()
        own = source[number - 1]
        if marked(ONE_SIDED, source, number) or NO_BRANCH.match(own):
            branches = []
        yield number, line.count > 0, [taken > 0 for taken in branches]
