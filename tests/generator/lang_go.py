# SPDX-License-Identifier: Apache-2.0
"""Go's raw layer: functions, constants, structs, and the forwarders that the parity cases call."""
from copied_tree import ADDED, BUILT, require, tool_missing

RAW = "bindings/go/raw"
LAYER = f"{BUILT}/bindings/go/tests/raw_layer.go"


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
    tree.require_in(LAYER, "//export layer_gs_made_squares")


def full(tree, build):
    tree.write(f"{RAW}/made_up_test.go", (ADDED / "call_test.go.txt").read_text(encoding="utf-8"))
    library = {"GPUSTREAM_LIBRARY": str(build / "libgpustream.so.0"), "GPUSTREAM_BACKEND": "host", "GPUSTREAM_BUILD_DIR": str(build)}
    for cgo in ("0", "1"):
        environment = {**library, "CGO_ENABLED": cgo, "MADE_NATIVE": str(tree.root / "libmade_native.so")}
        printed = tree.run("go", "test", "-count=1", "-v", "-run", "Layout|MadeUp", "./raw", cwd=tree.root / "bindings/go", environment=environment)
        require("PASS: TestMadeUp" in printed and "PASS: TestLayout" in printed, printed)
    layer = tree.root / "made_layer.so"
    tree.run("go", "build", "-buildmode=c-shared", "-o", layer, tree.root / LAYER, cwd=tree.root / "bindings/go")
    parity = build / "tests/parity"
    tree.run(parity / "gpustream_parity_cases", build / "libgpustream.so.0", parity / "libgpustream_parity_native.so", tree.root / "tests/parity/cases.json",
             "made_up", layer, environment={**library, "GPUSTREAM_HOST_DEVICES": "2"})  # fmt: skip
    return "Go: with cgo and without, and its parity case"
