# SPDX-License-Identifier: Apache-2.0
"""A copy of the source tree to which a made-up section is added as a person would add it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ADDED = pathlib.Path(__file__).resolve().parent / "added"
BUILT = "build/generated"  # of the copy
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "tests/abi")]

from generator.cli import SKIPPED  # noqa: E402

END = "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* GPUSTREAM_TOOLS_H */"


class Wrong(Exception):
    """Something did not reach where it must."""


def require(condition, text):
    if not condition:
        raise Wrong(text)


def tool_missing(*tools):
    """The first tool that both .venv and the PATH lack, else None."""
    path = f"{SOURCE}/.venv/bin:{os.environ['PATH']}"
    return next((f"no {tool} here" for tool in tools if not shutil.which(tool, path=path)), None)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)

    def text(self, path):
        found = self.root / path
        require(found.exists(), f"{path} is missing")
        return found.read_text(encoding="utf-8")

    def require_in(self, path, *texts):
        """Every text is in the file, whatever the white space."""
        squeezed = " ".join(self.text(path).split())
        for text in texts:
            require(" ".join(text.split()) in squeezed, f"{path} lacks: {text}")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def run(self, *command, **options):
        """Runs a command in the copy and returns what it printed."""
        environment = {**os.environ, **options.pop("environment", {})}
        done = subprocess.run([str(part) for part in command], cwd=options.pop("cwd", self.root), env=environment,
                              capture_output=True, text=True, **options)  # fmt: skip
        require(done.returncode == 0, f"{command[0]} failed:\n{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-4000:]}")
        return done.stdout + done.stderr

    def generate(self, *arguments):
        """All that is generated, or what the arguments ask for."""
        if not arguments:
            self.generate("--built", self.root / BUILT)
        return self.run(sys.executable, "-B", self.root / "scripts/generate", "--root", self.root, *arguments)


def without_builds(folder, names):
    inside = pathlib.Path(folder).relative_to(SOURCE)
    return [name for name in names if pathlib.Path(folder, name).is_dir() and SKIPPED.search((inside / name).as_posix())]


def copy(target):
    shutil.copytree(SOURCE, target, ignore=without_builds, symlinks=True)
    if (SOURCE / ".venv").exists():  # the formatter, SWIG, and the headers of CUDA
        (target / ".venv").symlink_to((SOURCE / ".venv").resolve())
    return Tree(target)


def add_section(tree):
    """All that is typed by hand, apart from Rust's lines: prototypes and types, bodies, a case."""
    header = tree.text("include/gpustream_tools.h")
    require(header.count(END) == 1, "the end of gpustream_tools.h has changed")
    section = (ADDED / "section.h").read_text(encoding="utf-8")
    section = section[section.index("/* ---- made up") :]
    tree.write("include/gpustream_tools.h", header.replace(END, f"\n{section}{END}"))
    tree.write("src/api/made_up.cpp", (ADDED / "made_up.cpp").read_text(encoding="utf-8"))
    cases = json.loads(tree.text("tests/parity/cases.json"))
    cases["cases"] += json.loads((ADDED / "cases.json").read_text(encoding="utf-8"))
    tree.write("tests/parity/cases.json", json.dumps(cases))
