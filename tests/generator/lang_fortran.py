# SPDX-License-Identifier: Apache-2.0
"""Fortran's raw module, and the forwarders that the parity cases call."""
from copied_tree import ADDED, BUILT, require, tool_missing

RAW = "bindings/fortran/src/gpustream_raw.f90"
LAYER = f"{BUILT}/bindings/fortran/tests/raw_layer.f90"


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("gfortran")


def quick(tree, _compilers):
    tree.require_in(RAW, "integer(c_int32_t), parameter :: GS_MADE_DOUBLED = 1", "type, bind(C) :: gs_made_total_t",
                    "integer(c_int64_t) :: first(8)", "integer(c_int32_t) function gs_made_squares(",
                    "type(gs_made_total_t), intent(inout), optional :: out_total", "type(c_funptr), value :: fn")  # fmt: skip
    tree.require_in(LAYER, "function layer_gs_made_doubled_flags(event, out_doubled) result(answer)")


def full(tree, build):
    folder = tree.root / "made_fortran"
    folder.mkdir()
    library, flags = build / "libgpustream.so.0", ("-std=f2018", "-Wall", "-Werror", "-fPIC")
    tree.run("gfortran", *flags, "-o", "call", tree.root / RAW, ADDED / "call.f90", library, f"-Wl,-rpath,{build}", cwd=folder)
    printed = tree.run(folder / "call", environment={"GPUSTREAM_BACKEND": "host"})
    require("Fortran: 12" in printed, printed)
    layer = folder / "layer.so"
    tree.run("gfortran", *flags, "-shared", "-o", layer, tree.root / RAW, tree.root / LAYER, library, f"-Wl,-rpath,{build}", cwd=folder)
    parity = build / "tests/parity"
    tree.run(parity / "gpustream_parity_cases", library, parity / "libgpustream_parity_native.so", tree.root / "tests/parity/cases.json", "made_up", layer,
             environment={"GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2"})  # fmt: skip
    return "Fortran: called, and its parity case"
