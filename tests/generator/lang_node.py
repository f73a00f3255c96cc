# SPDX-License-Identifier: Apache-2.0
"""Node's raw layer: the addon's table, and types, numbers and layouts for TypeScript."""
from copied_tree import ADDED, SOURCE, require, tool_missing

RAW = "bindings/node/src/raw.ts"


def missing():
    """What the long form lacks on this machine, or None."""
    if not (SOURCE / "bindings/node/node_modules/typescript").exists():
        return "no packages of bindings/node here"
    return tool_missing("node")


def quick(tree, _compilers):
    tree.require_in("bindings/node/native/functions.cpp", 'E(gs_made_sum),')
    tree.require_in(RAW, "gs_made_sum(weight: Address, values: Address, count: bigint, fn: bigint | null, arg: Address, out_total: Address, out_event: Address): number;",
                    "gs_made_doubled_flags(event: bigint, out_doubled: Address): number;", "export const GS_MADE_DOUBLED = 1;",
                    "first: { offset: 16, size: 64, kind: 'bytes' },", "export const gs_made_total_t = { size: 80, sized: true,")  # fmt: skip


def full(tree, build):
    package = tree.root / "bindings/node"
    (package / "node_modules").symlink_to((SOURCE / "bindings/node/node_modules").resolve())
    tree.run("node", "build.mjs", cwd=package)
    tree.run("node", "node_modules/typescript/bin/tsc", cwd=package)
    tree.write("bindings/node/made_up.mjs", (ADDED / "call.mjs").read_text(encoding="utf-8"))
    library = {"GPUSTREAM_LIBRARY": str(build / "libgpustream.so.0"), "GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2"}
    printed = tree.run("node", "made_up.mjs", tree.root / "libmade_native.so", cwd=package, environment=library)
    require("Node: 12" in printed, printed)
    tree.run("node", "test/parity/run.mjs", tree.root / "tests/parity/cases.json", "made_up",
             build / "tests/parity/libgpustream_parity_native.so", cwd=package, environment=library)  # fmt: skip
    return "Node: called, and its parity case"
