# SPDX-License-Identifier: Apache-2.0
"""Zig's raw declarations and their layout test, and the forwarders that the parity cases call."""
import sys

from copied_tree import ADDED, BUILT, SOURCE, require, tool_missing

RAW = "bindings/zig/src/raw.zig"
LAYER = f"{BUILT}/bindings/zig/tests/raw_layer.zig"


def command():
    """The zig of scripts/bootstrap, which is a Python package, or the machine's own."""
    python = SOURCE / ".venv/bin/python"
    if any((SOURCE / ".venv").glob("lib/python3*/site-packages/ziglang")):
        return [python if python.exists() else sys.executable, "-m", "ziglang"]
    return ["zig"]


def missing():
    """What the long form lacks on this machine, or None."""
    return None if len(command()) > 1 else tool_missing("zig")


def quick(tree, _compilers):
    tree.require_in(RAW, "pub const GS_MADE_DOUBLED: i32 = 1;", "pub const gs_made_total_t = extern struct {", "first: [8]i64,",
                    "pub extern fn gs_made_doubled_flags(event: gs_event_t, out_doubled: [*c]u32) gs_status_t;",
                    ".{ gs_made_total_t, 80, .{ 0, 4, 8, 16")  # fmt: skip
    tree.require_in(LAYER, '@export(&gs_made_squares, .{ .name = "layer_gs_made_squares" });')


def full(tree, build):
    library, module = build / "libgpustream.so.0", f"-Mgpustream={tree.root}/bindings/zig/src/gpustream.zig"
    cache = SOURCE / "build/zig"
    environment = {"GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2", "LD_LIBRARY_PATH": str(build),
                   "ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}  # fmt: skip
    printed = tree.run(*command(), "test", "--dep", "gpustream", f"-Mroot={ADDED / 'call.zig'}", module, "-lc", library, environment=environment)
    require("All 1 tests passed" in printed, printed)
    tree.run(*command(), "test", "-lc", f"{tree.root}/bindings/zig/src/gpustream.zig", library, environment=environment)
    layer = tree.root / "made_layer.so"
    tree.run(*command(), "build-lib", "-dynamic", f"-femit-bin={layer}", "--dep", "gpustream", f"-Mroot={tree.root / LAYER}", module, "-lc", library,
             environment=environment)  # fmt: skip
    parity = build / "tests/parity"
    tree.run(parity / "gpustream_parity_cases", library, parity / "libgpustream_parity_native.so", tree.root / "tests/parity/cases.json", "made_up", layer,
             environment=environment)  # fmt: skip
    return "Zig: called, its layout, and its parity case"
