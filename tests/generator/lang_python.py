# SPDX-License-Identifier: Apache-2.0
"""Python's extension module: SWIG wraps every function; typemaps and tables are generated."""
import sys

from copied_tree import ADDED, BUILT, require, tool_missing

TARGETS = ("gpustream_python_package",)
API = f"{BUILT}/bindings/swig/python_api.i"
SETTINGS = ("-DGPUSTREAM_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("swig")


def quick(tree, _compilers):
    tree.require_in(API, "GS_SIZED_STRUCT(gs_made_total_t", "GS_ARRAY_IN(int64_t, values, count", "GS_ARRAY_OUT(int64_t, out_values, capacity, out_count")
    tree.require_in(f"{BUILT}/bindings/python/src/gpustream/_core/functions.pyi", "def gs_made_sum(", "def gs_made_doubled_flags(")


def full(tree, build):
    environment = {"PYTHONPATH": str(build / "python"), "GPUSTREAM_BACKEND": "host", "PYTHONDONTWRITEBYTECODE": "1"}
    printed = tree.run(sys.executable, ADDED / "call.py", tree.root / "libmade_native.so", environment=environment)
    require(": 12" in printed, printed)
    return printed.strip()
