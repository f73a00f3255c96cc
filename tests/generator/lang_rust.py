# SPDX-License-Identifier: Apache-2.0
"""Rust's declarations: lists are generated; the lines of functions.rs are those that check_rust.py asks for."""
import re

from copied_tree import ADDED, require, tool_missing

FUNCTIONS = "bindings/rust/gpustream-sys/src/functions.rs"
LISTS = "bindings/rust/gpustream-sys/src/lists.rs"
END = "        }\n    };\n}\n"


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("cargo")


def missing_lines(tree):
    import check_rust

    return [re.sub(r"^functions.rs: missing: ", "", text) for text in check_rust.findings(tree.root)]


def quick(tree, _compilers):
    tree.require_in(LISTS, "GS_MADE_DOUBLED: i32 = 1;", "gs_made_total_t {", "first: [i64; 8],")
    lines = missing_lines(tree)
    require(len(lines) == 3 and all(line.startswith("fn gs_made_") for line in lines), f"check_rust.py asks for {lines}")
    text = tree.text(FUNCTIONS)
    require(text.count(END) == 1, "the end of functions.rs has changed")
    tree.write(FUNCTIONS, text.replace(END, "".join(f"            {line}\n" for line in lines) + END))
    require(not missing_lines(tree), "check_rust.py still misses something")


def full(tree, build):
    tree.write("bindings/rust/gpustream-sys/tests/made_up.rs", (ADDED / "call.rs").read_text(encoding="utf-8"))
    environment = {"GPUSTREAM_LIBRARY": str(build / "libgpustream.so.0"), "GPUSTREAM_BACKEND": "host", "CARGO_TARGET_DIR": str(tree.root / "build/rust")}
    printed = tree.run("cargo", "test", "--locked", "-p", "gpustream-sys", "--test", "made_up",
                       cwd=tree.root / "bindings/rust", environment=environment)  # fmt: skip
    require("1 passed" in printed, printed)
    return "Rust: declared and called"
