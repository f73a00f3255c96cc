# SPDX-License-Identifier: Apache-2.0
"""Go's raw layer: functions, constants, structs, and the runner's table."""
from copied_tree import ADDED, require, tool_missing

RAW = "bindings/go/raw"


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("go")


def quick(tree, _compilers):
    tree.require_in(f"{RAW}/functions.go", "func MadeSum(weight *MadeWeight, values *int64, count uintptr, fn uintptr, arg uintptr, outTotal *MadeTotal, outEvent *Event) Status {",
                    "return call2(inMadeDoubledFlags, uintptr(event), uintptr(unsafe.Pointer(outDoubled)))")  # fmt: skip
    tree.require_in(f"{RAW}/table.go", '"gs_made_squares",')
    tree.require_in(f"{RAW}/numbers.go", "MadeDoubled int32 = 1")
    tree.require_in(f"{RAW}/types.go", "type MadeTotal struct {", "First [8]int64")
    tree.require_in(f"{RAW}/layout_test.go", "{MadeTotal{}, 80, []uintptr{0, 4, 8, 16")
    tree.require_in("bindings/go/internal/parity/functions.go", "raw.MadeSquares,")


def full(tree, build):
    tree.write(f"{RAW}/made_up_test.go", (ADDED / "call_test.go.txt").read_text(encoding="utf-8"))
    library = {"GPUSTREAM_LIBRARY": str(build / "libgpustream.so.0"), "GPUSTREAM_BACKEND": "host", "GPUSTREAM_BUILD_DIR": str(build)}
    for cgo in ("0", "1"):
        environment = {**library, "CGO_ENABLED": cgo, "MADE_NATIVE": str(tree.root / "libmade_native.so")}
        printed = tree.run("go", "test", "-count=1", "-v", "-run", "Layout|MadeUp", "./raw", cwd=tree.root / "bindings/go", environment=environment)
        require("PASS: TestMadeUp" in printed and "PASS: TestLayout" in printed, printed)
        tree.run("go", "test", "-count=1", "-run", "/made_up", "./internal/parity", cwd=tree.root / "bindings/go", environment=environment)
    return "Go: with cgo and without"
