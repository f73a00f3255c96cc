# SPDX-License-Identifier: Apache-2.0
"""Links with arguments for the linker that zig's compiler driver refuses.

usage: zig_link.py ZIG ARGUMENT... -- COMMAND...

COMMAND is a link by zig c++. It runs as it is, which builds zig's own parts (libc++, the C library's stubs) and shows the
command for the linker; that one runs again with the ARGUMENTs.
"""
import os
import subprocess
import sys


def main():
    words = sys.argv[1:]
    at = words.index("--")
    zig, further, command = words[0], words[1:at], words[at + 1:]
    done = subprocess.run(command, env=os.environ | {"ZIG_VERBOSE_LINK": "1"}, capture_output=True, text=True)
    shown = [line.split(" ") for line in done.stderr.splitlines() if line.startswith("ld.lld ")]
    if done.returncode != 0 or len(shown) != 1:
        sys.exit(f"{done.stdout}{done.stderr}\nzig_link.py: {command[0]} ended with {done.returncode} and showed {len(shown)} links")
    linker = shown[0][1:]
    lost = [word for word in linker if word.startswith("/") and not os.path.exists(word)]
    if lost:
        sys.exit(f"zig_link.py: a path with a space, which zig shows unquoted: {lost}")
    return subprocess.run([zig, "ld.lld", *further, *linker]).returncode


if __name__ == "__main__":
    sys.exit(main())
