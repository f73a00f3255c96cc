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
    ("generic.pyi", "def wait_stream(self, stream: _StreamLike)", "def wait_stream(self, other: _StreamLike)",
     "gpustream.generic.Stream.wait_stream"),
    ("generic.pyi", "def elapsed_time(self, end_event: Event)", "def elapsed_time(self)", "gpustream.generic.Event.elapsed_time"),
    ("generic.pyi", "    def event_id(self) -> int: ...", "    def event_number(self) -> int: ...", "gpustream.generic.Event.event_number"),
    ("__init__.pyi", "def set_device(device: _NamedDevice)", "def set_device(device: _NamedDevice, force: bool)", "gpustream.set_device"),
    ("__init__.pyi", "def get_device_name(device: _DeviceLike = None) -> str: ...", "", "gpustream.get_device_name"),
    ("__init__.pyi", "def current_stream(device: _DeviceLike = None)", "def current_stream()", "gpustream.current_stream"),
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
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "gpustream", "--concise", "--allowlist", str(ALLOWED),
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
