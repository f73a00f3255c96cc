# SPDX-License-Identifier: Apache-2.0
"""C++'s enumerations of the header's constants; all else of C is used as it is."""
from copied_tree import ADDED, require, tool_missing


def missing():
    """What the long form lacks on this machine, or None."""
    return tool_missing("c++")


def quick(tree, compilers):
    tree.require_in("include/gpustream/enums.hpp", "enum class made : int32_t {", "plain = GS_MADE_PLAIN,", "doubled = GS_MADE_DOUBLED,")
    tree.run(compilers[1], "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Iinclude", ADDED / "call.cpp")


def full(tree, build):
    program = tree.root / "call_cpp"
    tree.run("c++", "-std=c++17", "-Wall", "-Werror", "-Iinclude", "-o", program, ADDED / "call.cpp", build / "libgpustream.so")
    printed = tree.run(program, environment={"LD_LIBRARY_PATH": str(build), "GPUSTREAM_BACKEND": "host"})
    require("C++: 12" in printed, printed)
    return "C++: called"
