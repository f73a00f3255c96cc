# SPDX-License-Identifier: Apache-2.0
"""Milliseconds that `import gpustream` adds to a bare interpreter: the median of alternating runs of both."""
import statistics
import subprocess
import sys
import time

RUNS = 21


def run(program):
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return 1e3 * (time.perf_counter() - begin)


if __name__ == "__main__":
    run("import gpustream")  # files are read once
    pairs = [(run("pass"), run("import gpustream")) for _ in range(RUNS)]
    print(f"{statistics.median(one - other for other, one in pairs):.1f}")
