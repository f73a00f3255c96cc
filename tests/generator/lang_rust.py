# SPDX-License-Identifier: Apache-2.0
"""Rust's lists and the layout test of its structs."""
from copied_tree import ADDED, require, tool_missing

LISTS = "bindings/rust/gpustream-sys/src/lists.rs"
LAYOUT = "bindings/rust/gpustream-sys/tests/layout.rs"


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("cargo")


def quick(tree, _compilers):
    tree.require_in(LISTS, "GS_MADE_DOUBLED: i32 = 1;", "gs_made_total_t {", "first: [i64; 8],",
                    "fn gs_made_doubled_flags(event: gs_event_t, out_doubled: *mut u32) -> gs_status_t;")  # fmt: skip
    tree.require_in(LAYOUT, '("gs_made_total_t", 80, &[0, 4, 8, 16')


def full(tree, build):
    tree.write("bindings/rust/gpustream-sys/tests/made_up.rs", (ADDED / "call.rs").read_text(encoding="utf-8"))
    environment = {"GPUSTREAM_LIBRARY": str(build / "libgpustream.so.0"), "GPUSTREAM_BACKEND": "host", "CARGO_TARGET_DIR": str(tree.root / "build/rust")}
    printed = tree.run("cargo", "test", "--locked", "-p", "gpustream-sys", "--test", "made_up", "--test", "layout",
                       cwd=tree.root / "bindings/rust", environment=environment)  # fmt: skip
    require("1 passed" in printed and "2 passed" in printed, printed)
    return "Rust: declared and called"
