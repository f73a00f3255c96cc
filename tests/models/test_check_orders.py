# SPDX-License-Identifier: Apache-2.0
"""check_orders.py on a small tree that is right, and on ones that are wrong in one way each."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LINE = "flag.store(true, std::memory_order_release);"
REASON = {f"src/handle/a.hpp: {LINE} [store, release to relaxed]": "model flags"}


def check(source, reasons, listed=""):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for place in ("src/handle", "src/core", "tests/models"):
            (root / place).mkdir(parents=True)
        (root / "src/handle/a.hpp").write_text(source)
        (root / "tests/models/flag_models.cpp").write_text('Model flags() { return {"flags"}; }')
        (root / "tests/models/orders.json").write_text(json.dumps(reasons))
        (root / "tests/models/unmodelled.txt").write_text(listed)
        done = subprocess.run([sys.executable, HERE / "check_orders.py", root], capture_output=True, text=True)
        return done.returncode, done.stdout


CASES = [
    ("a model notices", LINE, REASON, "", None),
    ("a comment names a model", f"// as in model flags\n{LINE}", {}, "", None),
    ("listed", LINE, {}, f"src/handle/a.hpp: {LINE}\n", None),
    ("relaxed needs nothing", "flag.load(std::memory_order_relaxed);", {}, "", None),
    ("no reason", LINE, {}, "", "no model runs this"),
    ("a comment names no model", f"// as in model others\n{LINE}", {}, "", "there is no model others"),
    ("the table names no model", LINE, {key: "model gone" for key in REASON}, "", "there is no model gone"),
    ("an empty reason", LINE, {key: "" for key in REASON}, "", "no reason"),
    ("a line that is gone", "", REASON, "", "has no line"),
    ("listed for nothing", "", {}, f"src/handle/a.hpp: {LINE}\n", "not needed any more"),
]


def main():
    failed = 0
    for name, source, reasons, listed, wanted in CASES:
        status, output = check(source, reasons, listed)
        if (status == 0) != (wanted is None) or (wanted and wanted not in output):
            print(f"{name}: exit status {status}\n{output}")
            failed += 1
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
