#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C of the guide's pages.

usage: guide_c.py COMPILER INCLUDE_DIR LIBRARY PAGE...

A block with a main() is a program. One that begins with a comment "NAME: COMMAND" is a file of that name, made by the command in the folder
where the page's programs run. The other blocks of a page make one program together: definitions of functions stand before main(), statements in
it, in the order of the page. So they follow from the page's first block, which declares what they use. That program must make no call
that fails.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

HEADERS = "#include <gpustream.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/socket.h>\n"
END = """    gs_error_info_t last_error = {.struct_size = sizeof last_error};
    if (gs_device_synchronize(GS_DEVICE_CURRENT) == GS_OK && gs_last_error(&last_error) == GS_OK && last_error.status == GS_OK) return 0;
    fprintf(stderr, "%s\\n", last_error.message);
    return 1;
"""
FILE = re.compile(r"\A/\* (\S+): (.+) \*/\n")


def blocks(page):
    return re.findall(r"^```c\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def is_definition(block):
    return re.search(r"^\w.*\) \{$", block, re.M) is not None


def together(fragments):
    """The program that the fragments of a page make."""
    functions = "\n".join(block for block in fragments if is_definition(block))
    statements = textwrap.indent("\n".join(block for block in fragments if not is_definition(block)), "    ")
    return f"{HEADERS}\n{functions}\nint main(void) {{\n{statements}\n{END}}}\n"


def run(command, folder):
    """What the command said if it failed, else ''."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}" if done.returncode else ""


def defects(page, compiler, include, library):
    found = blocks(page)
    programs = [block for block in found if re.search(r"^int main\(", block, re.M)]
    files = [block for block in found if FILE.match(block)]
    fragments = [block for block in found if block not in programs and block not in files]
    if fragments:
        programs.append(together(fragments))
    if not programs:
        yield "has no C"
    settings = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", f"-I{include}"]
    with tempfile.TemporaryDirectory() as folder:
        for block in files:
            name, command = FILE.match(block).groups()
            pathlib.Path(folder, name).write_text(block, encoding="utf-8")
            yield run([compiler, *command.split()[1:], f"-I{include}"], folder)
        for number, source in enumerate(programs, 1):
            pathlib.Path(folder, "program.c").write_text(source, encoding="utf-8")
            wrong = run([compiler, *settings, "program.c", library, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-o", "program"], folder)
            wrong = wrong or run(["./program"], folder)
            yield wrong and f"program {number}: {wrong}"


def main(compiler, include, library, *pages):
    wrong = 0
    for page in map(pathlib.Path, pages):
        for defect in filter(None, defects(page, compiler, include, library)):
            print(f"{page.name}: {defect}")
            wrong += 1
    print(f"{len(pages)} pages, {wrong} defects")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
