# SPDX-License-Identifier: Apache-2.0
"""Runs README's commands for a program in C as they are written: in a clean copy of the tree, with a prefix that is new.

usage: check_readme_commands.py ROOT

The block of shell that begins with PREFIX= runs by bash -e, beside the C example as example.c. The block of CMake is then a
project's of its own, which finds the same prefix. Both programs must end as the example promises.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LEFT_OUT = {"build", "dist", "out"}


def block(text, language, begin=""):
    found = re.search(rf"^```{language}\n({re.escape(begin)}.*?)^```$", text, re.M | re.S)
    if not found:
        sys.exit(f"README.md has no block of {language} that begins with '{begin}'")
    return found.group(1)


def run(command, folder, environment):
    """What the command printed; the program ends where it fails."""
    result = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}\n{command} ended with {result.returncode}")
    return result.stdout


def main(root):
    root = pathlib.Path(root).resolve()
    text = (root / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="gpustream-readme.") as work:
        clone, project = pathlib.Path(work, "clone"), pathlib.Path(work, "project")
        clone.mkdir()
        project.mkdir()
        for entry in [*root.glob("[!.]*"), root / ".venv"]:  # the last has the headers of CUDA, if scripts/bootstrap ran
            if entry.exists() and not any(entry.name.startswith(name) for name in LEFT_OUT):
                (clone / entry.name).symlink_to(entry)
        # The copies of the library compile in batches, as those do that pip starts; the rest is as a reader has it.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSTREAM_", "LD_", "PKG_CONFIG"))}
        environment |= {"HOME": work}
        for folder in clone, project:
            (folder / "example.c").write_text(block(text, "c"), encoding="utf-8")
        printed = run(["bash", "-euc", block(text, "sh", "PREFIX=")], clone, environment)
        if "done on stream" not in printed.splitlines()[-1]:
            sys.exit(f"the example printed:\n{printed}")

        environment["GPUSTREAM_BACKEND"] = "host"
        (project / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(example LANGUAGES C)\n{block(text, 'cmake')}", encoding="utf-8")
        run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={work}/.local", "-G", "Ninja"], project, environment)
        run(["cmake", "--build", "build"], project, environment)
        if "done on stream" not in run(["build/program"], project, environment):
            sys.exit("the program that CMake built did not print what the example prints")
    print("README's commands do what it says")


if __name__ == "__main__":
    main(*sys.argv[1:])
