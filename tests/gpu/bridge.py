# SPDX-License-Identifier: Apache-2.0
"""Bridges on a real GPU: PyTorch, CuPy and TVM FFI see the stream that gpustream makes current, and the reverse.

The library is the one in GPUSTREAM_LIBRARY, called through ctypes. Each check runs in a process of its own. Order is proved
with a stalled stream: a consumer that does not wait for it reads old data.

usage: bridge.py [CHECK...]      exit status 0: no check failed; torch is needed, cupy and tvm_ffi are used if present
"""

import subprocess
import sys
import traceback

import bridge_captures  # noqa: F401
import bridge_streams  # noqa: F401
from bridge_common import CHECKS, Skip


def run_one(name):
    chosen = next(one for one in CHECKS if one.__name__ == name)
    try:
        chosen()
    except Skip as reason:
        print(f"  skipped: {reason}")
        return 77
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main():
    if sys.argv[1:2] == ["--one"]:
        return run_one(sys.argv[2])
    wanted = sys.argv[1:] or [one.__name__ for one in CHECKS]
    outcomes = {0: "passed", 77: "skipped"}
    failed = skipped = 0
    for name in wanted:
        try:
            code = subprocess.run([sys.executable, __file__, "--one", name], timeout=180).returncode
        except subprocess.TimeoutExpired:
            code = "no end within 180 s"
        print(f"{name:32} {outcomes.get(code, f'FAILED ({code})')}", flush=True)
        failed += code not in outcomes
        skipped += code == 77
    print(f"{len(wanted) - failed - skipped} passed, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
