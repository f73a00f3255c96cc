# SPDX-License-Identifier: Apache-2.0
"""Links with arguments for the linker that zig's compiler driver refuses.

usage: zig_link.py ZIG ARGUMENT... -- COMMAND...

COMMAND is a link by zig c++. It runs as it is, which builds zig's own parts (libc++, the C library's stubs) and shows the
command for the linker; that one runs again with the ARGUMENTs. The debug information of zig's own parts is left out: it names
the folder in which zig's cache was first filled, so the same sources would give files that differ from machine to machine.
"""
import os
import shutil
import subprocess
import sys
import tempfile


def objcopy():
    """LLVM's, which reads objects for all processors."""
    for name in ["llvm-objcopy", *(f"llvm-objcopy-{version}" for version in range(25, 12, -1))]:
        if found := shutil.which(name):
            return found
    sys.exit("zig_link.py: there is no llvm-objcopy (scripts/bootstrap package installs it)")


def without_debug_information(linker, scratch):
    """The command with objects and archives from elsewhere than this build, which are zig's, replaced by stripped copies."""
    here = os.path.realpath(os.getcwd()) + "/"
    tool, result = objcopy(), []
    for number, word in enumerate(linker):
        if word.startswith("/") and word.endswith((".a", ".o")) and not os.path.realpath(word).startswith(here):
            copy = os.path.join(scratch, f"{number}-{os.path.basename(word)}")
            # Its table of addresses that are compared does not outlive the change, and the linker would warn of each.
            subprocess.run([tool, "--strip-debug", "--remove-section=.llvm_addrsig", "--enable-deterministic-archives", word, copy],
                           check=True)
            word = copy
        result.append(word)
    return result


def main():
    words = sys.argv[1:]
    at = words.index("--")
    zig, further, command = words[0], words[1:at], words[at + 1:]
    done = subprocess.run(command, env=os.environ | {"ZIG_VERBOSE_LINK": "1"}, capture_output=True, text=True)
    # Not those of zig's own parts, such as the start file of programs and the stub of musl.
    result = f" -o {command[command.index('-o') + 1]} "
    shown = [line.split(" ") for line in done.stderr.splitlines() if line.startswith("ld.lld ") and result in line]
    if done.returncode != 0 or len(shown) != 1:
        sys.exit(f"{done.stdout}{done.stderr}\nzig_link.py: {command[0]} ended with {done.returncode} and showed {len(shown)} links")
    linker = shown[0][1:]
    # The loader is that of another system, for another processor.
    named = [word for before, word in zip(["", *linker], linker) if before not in ("--dynamic-linker", "-dynamic-linker")]
    lost = [word for word in named if word.startswith("/") and not os.path.exists(word)]
    if lost:
        sys.exit(f"zig_link.py: a path with a space, which zig shows unquoted: {lost}")
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run([zig, "ld.lld", *further, *without_debug_information(linker, scratch)]).returncode


if __name__ == "__main__":
    sys.exit(main())
