#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the programs of a page of the guide.

usage: guide_programs.py PAGE LANGUAGE SUFFIX COMMAND...

Each block of the page that is fenced as LANGUAGE is a program. COMMAND compiles it: {source} and {program} are replaced.
A program fails if its exit status is not 0 or it writes to stderr. A page without such a program fails too.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def programs(page, language):
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def run(source, suffix, command):
    """What is wrong with the program, or None."""
    with tempfile.TemporaryDirectory() as folder:
        file, program = pathlib.Path(folder) / f"program{suffix}", pathlib.Path(folder) / "program"
        file.write_text(source, encoding="utf-8")
        words = [word.replace("{source}", str(file)).replace("{program}", str(program)).replace("{folder}", folder) for word in command]
        compiled = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=folder)
        if compiled.returncode:
            return f"does not compile:\n{compiled.stdout}{compiled.stderr}"
        ended = subprocess.run([program], capture_output=True, text=True, timeout=60, cwd=folder)
        if ended.returncode or ended.stderr:
            return f"ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}"
    return None


def main(page, language, suffix, *command):
    page = pathlib.Path(page)
    found = programs(page, language)
    wrong = 0
    for number, source in enumerate(found, 1):
        defect = run(source, suffix, command)
        if defect:
            print(f"{page.name}: program {number} in {language} {defect}")
            wrong += 1
    print(f"{page.name}: {len(found)} programs in {language}, {wrong} wrong")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
