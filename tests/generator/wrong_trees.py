#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that add_function.py notices when a function does not reach a language: each case breaks a generated file of the
copy, and the language's check must say so."""
import pathlib
import sys
import tempfile

import lang_c
import lang_cpp
import lang_fortran
import lang_go
import lang_java
import lang_node
import lang_python
import lang_rust
import lang_zig
from copied_tree import Wrong, add_section, copy

# (check, file, what is broken, what the check must say)
CASES = [
    (lang_c, "src/gpustream.map", ("        gs_made_sum;\n", ""), "src/gpustream.map lacks"),
    (lang_c, "api/gpustream.json", ('"count": "count", ', ""), "the counted array"),
    (lang_c, lang_c.CALLS, ('"gs_made_sum"', '"gs_made_some"'), "call_table.cpp lacks"),
    (lang_c, lang_c.CALLS, ("gs_event_destroy(*output<gs_event_t>())", "GS_OK"), "call_table.cpp lacks"),
    (lang_c, lang_c.FIELDS, ("gs_made_total_t, first", "gs_made_total_t, last"), "c++ failed"),
    (lang_c, "tests/abi/layout.c", ("#include <stddef.h>", "#include <stddef.h>\n_Static_assert(sizeof(gs_made_total_t) == 8, \"\");"), "cc failed"),
    (lang_python, lang_python.API, ("GS_SIZED_STRUCT(gs_made_total_t", "GS_STRUCT(gs_made_total_t"), "python_api.i lacks"),
    (lang_java, f"{lang_java.INTERNAL}/Calls.java", ("int madeSum(", "void madeSum("), "Calls.java lacks"),
    (lang_java, f"{lang_java.INTERNAL}/Constants.java", ("MADE_DOUBLED = 1", "MADE_DOUBLED = 2"), "Constants.java lacks"),
    (lang_rust, lang_rust.LISTS, ("first: [i64; 8],", ""), "lists.rs lacks"),
    (lang_rust, lang_rust.FUNCTIONS, ("fn gs_trim() -> gs_status_t;", ""), "check_rust.py asks for"),
    (lang_go, f"{lang_go.RAW}/functions.go", ("func MadeSum(weight *MadeWeight", "func MadeSum(weight uintptr"), "functions.go lacks"),
    (lang_go, f"{lang_go.RAW}/layout_test.go", ("{MadeTotal{}, 80, []uintptr{0, 4, 8, 16", "{MadeTotal{}, 80, []uintptr{0, 4, 8, 8"), "layout_test.go lacks"),
    (lang_node, lang_node.RAW, ("first: { offset: 16", "first: { offset: 8"), "raw.ts lacks"),
    (lang_node, "bindings/node/native/functions.cpp", ("E(gs_made_sum),", ""), "functions.cpp lacks"),
    (lang_cpp, "include/gpustream/enums.hpp", ("doubled = GS_MADE_DOUBLED,", "twice = GS_MADE_DOUBLED,"), "enums.hpp lacks"),
    (lang_fortran, lang_fortran.RAW, ("integer(c_int64_t) :: first(8)", "integer(c_int64_t) :: first(4)"), "gpustream_raw.f90 lacks"),
    (lang_fortran, lang_fortran.LAYER, ("function layer_gs_made_doubled_flags(event, out_doubled)", "function layer_gs_made_doubled_flags(event)"), "raw_layer.f90 lacks"),
    (lang_zig, lang_zig.RAW, ("pub extern fn gs_made_doubled_flags", "pub extern fn gs_made_doubled_flag"), "raw.zig lacks"),
    (lang_zig, lang_zig.LAYER, ('@export(&gs_made_squares, .{ .name = "layer_gs_made_squares" });', ""), "raw_layer.zig lacks"),
]  # fmt: skip


def noticed(tree, check, path, change, wanted):
    """What is wrong with the check, or None."""
    good = tree.text(path)
    if good.count(change[0]) < 1:
        return f"'{change[0]}' is not in {path}: the case needs an update"
    tree.write(path, good.replace(*change))
    try:
        check.quick(tree, ("cc", "c++"))
        return "the check passed"
    except Wrong as error:
        return None if wanted in str(error) else f"the check said: {error}"
    finally:
        tree.write(path, good)


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gs-wrong-") as scratch:
        tree = copy(pathlib.Path(scratch) / "tree")
        add_section(tree)
        tree.generate()
        for case in CASES:
            trouble = noticed(tree, *case)
            print(f"{'FAILED' if trouble else 'ok'}  {case[1]}: {case[2][0]!r}" + (f"\n        {trouble}" if trouble else ""))
            failed += bool(trouble)
    print(f"{len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
