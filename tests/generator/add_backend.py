#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a made-up backend to a copy of the tree by the steps of docs/design/backends.md, and sees that nothing else has to
be edited: the checkers pass, and the command and the bindings have its name.

   add_backend.py [--full]

The long form (--full, or GPUSTREAM_TEST_FULL=1) builds the library and the command in the copy and asks them.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

from copied_tree import BUILT, Wrong, copy, require

CHECKS = ("layers", "rings", "header_docs", "baseline", "compile")
TOY = "tests/unit/third_backend/toy_backend"


def replace(tree, path, pattern, text):
    changed, count = re.subn(pattern, text, tree.text(path), flags=re.M)
    require(count == 1, f"{path} has {count} places for {pattern}")
    tree.write(path, changed)


def add_backend(tree):
    """Step 1: the class, here the one that tests/unit/third_backend uses. Step 2: a number and a row."""
    for suffix in ("hpp", "cpp"):
        source = tree.text(f"{TOY}.{suffix}").replace("GS_BACKEND_HIP", "GS_BACKEND_TOY").replace('"toy_', '"backend/toy/toy_')
        tree.write(f"src/backend/toy/toy_backend.{suffix}", source)
    last = r"^    GS_BACKEND_HIP = 3$"
    replace(tree, "include/gpustream/library.h", last, "    GS_BACKEND_HIP = 3,\n    /** A toy. */\n    GS_BACKEND_TOY = 4")
    replace(tree, "src/backend/registry.hpp", r"kBackendKinds = 3;", "kBackendKinds = 4;")
    row = r'^(    \{GS_BACKEND_HIP, .*\n)'
    replace(tree, "src/backend/backends.cpp", row, r'\1    {GS_BACKEND_TOY, "toy", BackendRole::Accelerator, toy_backend},' + "\n")
    replace(tree, "src/backend/backends.cpp", r'(#include "backend/host/.*\n)', r'\1#include "backend/toy/toy_backend.hpp"' + "\n")


def check(tree, name):
    return tree.run(sys.executable, "-B", f"tests/abi/check_{name}.py", "--root", ".")


def short_form(tree):
    add_backend(tree)
    tree.generate()
    for name in CHECKS:
        check(tree, name)
    tree.require_in(f"{BUILT}/bindings/python/src/gpustream/_backend_names.py", '4: "toy",')
    tree.require_in(f"{BUILT}/bindings/python/native/description.c", 'case GS_BACKEND_TOY: return "toy";')
    tree.require_in("docs/reference/README.md", "| `GS_BACKEND_TOY` | 4 | A toy. |")
    tree.require_in("bindings/java/gpustream/src/main/java/io/gpustream/Backend.java", "/** A toy. */ TOY(Constants.BACKEND_TOY),")
    tree.require_in("bindings/rust/gpustream-sys/src/lists.rs", "/// A toy. Toy = GS_BACKEND_TOY;")
    numbers = {one["name"]: one["value"] for one in json.loads(tree.text("api/gpustream.json"))["constants"]}
    require(numbers.get("GS_BACKEND_TOY") == 4, "the description has no GS_BACKEND_TOY")
    # A line that names the backend where nothing may is found.
    tree.write("src/core/names_toy.cpp", "// SPDX-License-Identifier: Apache-2.0\nint a = GS_BACKEND_TOY;\n")
    try:
        check(tree, "layers")
    except Wrong as error:
        require("names the backend toy" in str(error), f"check_layers.py says something else: {error}")
    else:
        raise Wrong("check_layers.py does not see that src/core names the new backend")
    (tree.root / "src/core/names_toy.cpp").unlink()


def long_form(tree):
    build = tree.root / "build/toy"
    tree.run("cmake", "-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DGPUSTREAM_CUDA=OFF", "-DGPUSTREAM_BUILD_TESTS=OFF",
             "-DGPUSTREAM_BUILD_EXAMPLES=OFF")  # fmt: skip
    tree.run("cmake", "--build", build, "--target", "gpustream_command")

    def info(backend):
        return json.loads(tree.run(build / "bin/gpustream", "info", "--json", environment={"GPUSTREAM_BACKEND": backend}))

    for chosen in ("toy", "auto"):
        found = info(chosen)
        require(found["backend"] == "toy" and found["available"], f"with GPUSTREAM_BACKEND={chosen} the command says {found}")
        require([one["name"] for one in found["devices"]] == ["Toy 0", "Toy 1"], f"the command lists {found['devices']}")
        require(found["backends"] == [{"name": "host", "devices": 2}, {"name": "toy", "devices": 2}], f"it has {found['backends']}")
    require(info("host")["backend"] == "host", "the host backend cannot be chosen any more")
    try:
        info("toys")
    except Wrong as error:
        require("is none of host, toy, auto" in str(error) or "is none of host, cuda, toy, auto" in str(error), str(error))
    else:
        raise Wrong("an unknown name is accepted")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", default=os.environ.get("GPUSTREAM_TEST_FULL") == "1")
    full = parser.parse_args().full
    with tempfile.TemporaryDirectory(prefix="gs-backend-") as scratch:
        try:
            tree = copy(pathlib.Path(scratch) / "tree")
            short_form(tree)
            if full:
                long_form(tree)
        except Wrong as error:
            print(f"wrong: {error}")
            return 1
    print("the made-up backend is known by its name" + (", built and asked" if full else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
