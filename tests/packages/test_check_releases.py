# SPDX-License-Identifier: Apache-2.0
"""check_releases.py and record_release.py on small trees, right ones and ones that are wrong in one way each."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SCRIPTS = HERE.parent.parent / "scripts/packaging"
HEADER = "#define GS_VERSION_MAJOR 0\n#define GS_VERSION_MINOR 2\n#define GS_VERSION_PATCH 0\n#define GS_ABI_VERSION 1u\n"
SUMS = f"{'0' * 64}  c/gpustream-0.1.0.tar.gz\n"
GOOD = "## 0.2.0 (unreleased), ABI 1\n- new\n\n## 0.1.0 (2026-12-01), ABI 1\n- first\n"
RECORD = {"0.1.0.sha256": SUMS, "0.1.0.abi.json": "{}"}


def tree(folder, changelog, record):
    root = pathlib.Path(folder)
    for place in ("include", "packaging/releases", "dist", "tests/abi/baseline"):
        (root / place).mkdir(parents=True)
    (root / "include/gpustream.h").write_text(HEADER)
    (root / "CHANGELOG.md").write_text(changelog)
    (root / "tests/abi/baseline/gpustream-0.json").write_text("{}")
    for name, text in record.items():
        (root / "packaging/releases" / name).write_text(text)
    return root


def run(script, root):
    done = subprocess.run([sys.executable, script, root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(changelog, record):
    with tempfile.TemporaryDirectory() as folder:
        return run(HERE / "check_releases.py", tree(folder, changelog, record))


def record(record, sums):
    with tempfile.TemporaryDirectory() as folder:
        root = tree(folder, GOOD, record)
        if sums is not None:
            (root / "dist/SHA256SUMS").write_text(sums)
        return run(SCRIPTS / "record_release.py", root)


RELEASED = GOOD.replace("unreleased", "2027-01-15")
CASES = [
    ("right", check, (GOOD, RECORD), 0, ""),
    ("no digests", check, (GOOD, {"0.1.0.abi.json": "{}"}), 1, "0.1.0.sha256 is missing"),
    ("no ABI", check, (GOOD, {"0.1.0.sha256": SUMS}), 1, "0.1.0.abi.json is missing"),
    ("the newest is not recorded", check, (RELEASED, RECORD), 1, "0.2.0.sha256 is missing"),
    ("no digest in the list", check, (GOOD, RECORD | {"0.1.0.sha256": "later\n"}), 1, "is not a list of digests"),
    ("no date", check, (GOOD.replace("2026-12-01", "soon"), RECORD), 1, "is not 'VERSION (unreleased or date), ABI NUMBER'"),
    ("another version than the header's", check, (GOOD.replace("0.2.0", "0.3.0"), RECORD), 1, "the header says 0.2.0"),
    ("another ABI", check, (GOOD.replace("(unreleased), ABI 1", "(unreleased), ABI 2"), RECORD), 1, "the header says 1"),
    ("versions rise", check, (GOOD.replace("0.1.0", "0.2.1"), {}), 1, "stands below"),
    ("a record of no release", check, (GOOD, RECORD | {"0.0.9.sha256": SUMS}), 1, "CHANGELOG.md has no such release"),
    ("recorded", record, (RECORD, SUMS), 0, "1 files"),
    ("recorded twice", record, ({"0.2.0.sha256": SUMS}, SUMS), 0, "the same digests"),
    ("recorded otherwise", record, ({"0.2.0.sha256": SUMS}, SUMS.replace("0", "1")), 1, "OTHER digests"),
    ("nothing was made", record, ({}, None), 1, "run scripts/package first"),
    ("no list", record, ({}, "nothing\n"), 1, "not a list of digests"),
]


def main():
    failed = 0
    for name, what, arguments, wanted, text in CASES:
        status, output = what(*arguments)
        if status != wanted or text not in output:
            print(f"{name}: exit status {status}\n{output}")
            failed += 1
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
