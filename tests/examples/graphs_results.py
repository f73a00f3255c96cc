#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/graphs: both ways give the digest of a sequential pass, for files that end inside a chunk, and the graph is as drawn.

   graphs_results.py PROGRAM PICTURE
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CHUNK = 65536
SIZES = (1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 12345)


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, env={**os.environ, "GPUSTREAM_BACKEND": "host"})


def require(condition, text):
    if not condition:
        sys.exit(f"graphs_results: {text}")


def shape(dot):
    """Nodes and dependencies without what depends on the size of a chunk."""
    kinds = dict(re.findall(r'(n\d+) \[shape=\w+, label="(\w+)', dot))
    return sorted(kinds.values()), sorted((kinds[a], kinds[b]) for a, b in re.findall(r"(n\d+) -> (n\d+);", dot))


def main():
    program, picture = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path, dot = pathlib.Path(folder) / "input", pathlib.Path(folder) / "graph.dot"
        for size in SIZES:
            path.write_bytes(bytes((i * 7919 >> 3) & 0xFF for i in range(size)))
            done = run(program, path, "--chunk", str(CHUNK), "--dot", dot)
            require(done.returncode == 0, f"{size} bytes: exit status {done.returncode}: {done.stderr}")
            require("both agree" in done.stdout, f"{size} bytes: {done.stdout}")
        require(shape(dot.read_text()) == shape(pathlib.Path(picture).read_text()), f"the graph is not as drawn: {dot.read_text()}")
        for arguments, status in (((), 2), ((path, "--dot"), 2), ((path, "--no-such-option"), 2), ((path, "--timeline", "x"), 2), ((path / "none",), 3)):
            done = run(program, *arguments)
            require(done.returncode == status and done.stderr, f"{arguments}: exit status {done.returncode}, wanted {status}")


if __name__ == "__main__":
    main()
