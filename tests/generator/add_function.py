#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a made-up section to a copy of the tree by what a person types (header, bodies, a case, Rust's lines), runs
scripts/generate, and sees that the functions reach every language.

   add_function.py [--full] [--only LANGUAGE]... [--keep FOLDER] [--cc CC] [--cxx CXX]

The short form looks at the generated files and compiles the C and C++ among them. The long form (--full, or
GPUSTREAM_TEST_FULL=1) builds the library and every binding in the copy, and calls the functions from each language.
"""
import argparse
import os
import pathlib
import sys
import tempfile

import lang_c
import lang_cpp
import lang_fortran
import lang_go
import lang_java
import lang_node
import lang_python
import lang_rust
import lang_zig
from copied_tree import Wrong, add_section, copy, require

LANGUAGES = {"c": lang_c, "cpp": lang_cpp, "python": lang_python, "java": lang_java, "rust": lang_rust, "go": lang_go, "node": lang_node,
             "fortran": lang_fortran, "zig": lang_zig}  # fmt: skip
CHECKS = ("header_docs", "baseline", "compile")


def short_form(tree, chosen, compilers):
    add_section(tree)
    tree.generate()
    require("0 wrong" in tree.generate("--check"), "scripts/generate does not agree with itself")
    for name in CHECKS:
        tree.run(sys.executable, "-B", f"tests/abi/check_{name}.py", "--root", ".")
    for name, language in chosen.items():
        language.quick(tree, compilers)
        print(f"{name}: declared as it should be")


def long_form(tree, chosen):
    for name, language in list(chosen.items()):
        if language.missing():
            print(f"{name}: not built, {language.missing()}")
            del chosen[name]
    build = tree.root / "build/release"
    settings = [setting for language in chosen.values() for setting in getattr(language, "SETTINGS", ())]
    targets = [target for language in chosen.values() for target in getattr(language, "TARGETS", ())]
    tree.run("cmake", "--preset", "release", "-DGPUSTREAM_CUDA=OFF", "-DGPUSTREAM_TEST_FAMILIES=parity", "-DGPUSTREAM_BUILD_EXAMPLES=OFF", *settings)
    tree.run("cmake", "--build", "--preset", "release", "--target", "gpustream", "gpustream_parity_cases", "gpustream_parity_native", *targets)
    lang_c.full(tree, build)
    for name, language in chosen.items():
        if name != "c":
            print(language.full(tree, build))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", default=os.environ.get("GPUSTREAM_TEST_FULL") == "1")
    parser.add_argument("--only", action="append", choices=list(LANGUAGES))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    chosen = {name: module for name, module in LANGUAGES.items() if not options.only or name in options.only}
    with tempfile.TemporaryDirectory(prefix="gs-added-") as scratch:
        try:
            tree = copy((options.keep or pathlib.Path(scratch)) / "tree")
            short_form(tree, chosen, (options.cc, options.cxx))
            if options.full:
                long_form(tree, chosen)
        except Wrong as error:
            print(f"wrong: {error}")
            return 1
    if left_out := set(options.only or ()) - set(chosen):
        print(f"wrong: {', '.join(sorted(left_out))} was asked for and not tried")
        return 1
    print(f"the made-up functions reached {', '.join(chosen)}" + (", built and called" if options.full else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
