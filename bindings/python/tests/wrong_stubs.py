# SPDX-License-Identifier: Apache-2.0
"""Shows that stubtest would find stubs that say something else than the code: wrong_stubs.py PACKAGE WORK.

PACKAGE is the folder of the built package; a copy with wrong stubs is made in WORK. Ends with 1 if one is not found.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ALLOWED = Path(__file__).resolve().parent / "stubtest_allowlist.txt"
WRONG = [  # (file, what stands there, what is put in its place, what stubtest must complain about)
    ("_core/generic.pyi", "def wait_stream(self, stream: StreamLike)", "def wait_stream(self, other: StreamLike)",
     "gpustream._core.generic.Stream.wait_stream"),
    ("_core/generic.pyi", "def elapsed_time(self, end_event: Event)", "def elapsed_time(self, end_event: Event, unit: str = ...)",
     "gpustream._core.generic.Event.elapsed_time"),
    ("_core/generic.pyi", "    def record(self,", "    def reopen(self) -> None: ...\n    def record(self,", "gpustream._core.generic.Event.reopen"),
    ("_core/__init__.pyi", "def synchronize(device: DeviceLike = None, timeout: float | None = None)", "def synchronize(device: DeviceLike = None, force: bool = ...)",
     "gpustream._core.synchronize"),
    ("_core/__init__.pyi", "def mailbox_close() -> None: ...", "def mailbox_close() -> None: ...\ndef mailbox_open() -> None: ...",
     "gpustream._core.mailbox_open"),
    ("_core/__init__.pyi", "gives_up_gil: int", "gives_up_gil: str", "gpustream._core.gives_up_gil"),
]


def falsify(package, work):
    shutil.copytree(package, work / "gpustream")
    for file, right, wrong, _ in WRONG:
        path = work / "gpustream" / file
        text = path.read_text(encoding="utf-8")
        if text.count(right) != 1:
            sys.exit(f"wrong_stubs.py: {file} has '{right}' {text.count(right)} times; this list wants it once")
        path.write_text(text.replace(right, wrong), encoding="utf-8")


def main(package, work):
    falsify(Path(package), Path(work))
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "gpustream._core", "--ignore-missing-stub", "--concise", "--allowlist", str(ALLOWED),
                           "--mypy-config-file", "pyproject.toml"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": work, "MYPYPATH": work})
    complaints = {line.split(" ", 1)[0] for line in done.stdout.splitlines()}
    missed = [name for *_, name in WRONG if name not in complaints]
    print(re.sub(r"^", "  ", done.stdout.strip(), flags=re.M))
    if missed or done.returncode == 0:
        print(f"stubtest (status {done.returncode}) did not find {missed}\n{done.stderr}", file=sys.stderr)
        return 1
    print(f"stubtest found all {len(WRONG)} wrong stubs")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
