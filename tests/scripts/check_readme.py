# SPDX-License-Identifier: Apache-2.0
"""Extracts the C example of a README, compiles it as it stands against the built library, and runs it.

usage: check_readme.py README COMPILER INCLUDE_DIR LIBRARY
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    readme, compiler, include, library = sys.argv[1:]
    found = re.search(r"^```c\n(.*?)^```$", pathlib.Path(readme).read_text(), re.S | re.M)
    if not found:
        print(f"{readme} has no C example")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "example.c"), pathlib.Path(folder, "example")
        source.write_text(found.group(1))
        folder_of_library = str(pathlib.Path(library).parent)
        command = [compiler, "-Wall", "-Wextra", "-Werror", f"-I{include}", str(source), library,
                   f"-Wl,-rpath,{folder_of_library}", "-o", str(program)]
        if subprocess.run(command).returncode != 0:
            print("the example does not compile")
            return 1
        result = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
        print(result.stdout + result.stderr, end="")
        if result.returncode != 0 or "done on stream" not in result.stdout:
            print(f"the example ended with {result.returncode}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
