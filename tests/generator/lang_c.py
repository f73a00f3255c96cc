# SPDX-License-Identifier: Apache-2.0
"""The description, the linker map, the tables of the C tests, and a program in C."""
import json
import os
import re

from copied_tree import ADDED, BUILT, require

NAMES = ("gs_made_sum", "gs_made_doubled_flags", "gs_made_squares")
TABLES = CALLS, PARITY, FIELDS = tuple(f"{BUILT}/tests/{name}.cpp" for name in ("calls/call_table", "parity/library_calls", "parity/struct_fields"))


def missing():
    return None


def check_description(tree):
    api = json.loads(tree.text("api/gpustream.json"))
    functions = {one["name"]: one for one in api["functions"]}
    total = functions["gs_made_sum"]
    parameters = {one["name"]: one for one in total["parameters"]}
    require(total["section"] == "made up" and total["since"] == "0.2" and total["cost"] == "library", "gs_made_sum is described wrongly")
    require("GS_ERROR_UNAVAILABLE" in total["statuses"], "the start statuses are not expanded")
    require(parameters["values"].get("count") == "count", "the counted array is not known as one")
    require(parameters["fn"]["callback"]["argument"] == "arg" and parameters["fn"].get("optional"), "the callback is described wrongly")
    require(parameters["out_total"]["direction"] == "inout", "the struct that comes out is described wrongly")
    require(parameters["out_event"].get("handle") == "event" and parameters["out_event"]["direction"] == "out", "the handle is described wrongly")
    structs = {one["name"]: one for one in api["structs"]}
    require(structs["gs_made_weight_t"]["size"] == 16 and structs["gs_made_total_t"]["size"] == 80, "the structs have wrong sizes")
    require([one["value"] for one in api["constants"] if one.get("group") == "GS_MADE"] == [0, 1], "the constants are described wrongly")


def quick(tree, compilers):
    check_description(tree)
    node = re.search(r"^GPUSTREAM_0\.2 \{\n(.*?)^\} GPUSTREAM_0\.1;$", tree.text("src/gpustream.map"), re.S | re.M)
    for name in NAMES:
        require(node and f" {name};\n" in node.group(1), f"src/gpustream.map lacks {name} in its node of release 0.2")
    tree.require_in("tests/abi/layout.c", "SIZE(gs_made_total_t, 80, 8);", "FIELD(gs_made_total_t, first, 16, 64);", "NUMBER(GS_MADE_DOUBLED, 1);")
    tree.require_in("docs/reference/README.md", "[made up](made-up.md)", "gs_made_weight_t")
    for name in NAMES:
        tree.require_in(CALLS, f'{{"{name}", InBadFork::')
        tree.require_in(PARITY, f'{{"{name}", call_status<decltype({name})')
        tree.require_in("docs/reference/made-up.md", f"## {name}")
    tree.require_in(CALLS, '{"gs_made_doubled_flags", "event", "event", false', '{"gs_made_sum", "out_total"')
    tree.require_in(PARITY, "call_status<decltype(gs_made_squares), Counted<1, 2>>")
    # Loops of failures take up what leaves no trace, and what a function that the text on ownership names ends.
    tree.require_in(CALLS, '{"gs_made_sum", InBadFork::Refused, InHostFunction::Refused, Blocks::Never, Trace::Undone',
                    '"gs_event_destroy", []([[maybe_unused]] const Objects &o) -> gs_status_t { return gs_event_destroy(*output<gs_event_t>()); }',
                    '{"gs_made_doubled_flags", InBadFork::Refused, InHostFunction::Allowed, Blocks::Never, Trace::None')  # fmt: skip
    cc, cxx = compilers
    strict = ["-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-Iinclude"]
    tree.run(cc, "-std=c11", *strict, "tests/abi/layout.c")
    for source in ("src/api/made_up.cpp", *TABLES):
        tree.run(cxx, "-std=c++20", *strict, "-Isrc", "-Itests", f"-I{BUILT}/tests", source)


def full(tree, build):
    native = tree.root / "libmade_native.so"
    tree.run("cc", "-shared", "-fPIC", "-o", native, ADDED / "made_native.c")
    program = tree.root / "call"
    tree.run("cc", "-std=c11", "-Wall", "-Werror", "-Iinclude", "-o", program, ADDED / "call.c", build / "libgpustream.so")
    environment = {"LD_LIBRARY_PATH": str(build), "GPUSTREAM_BACKEND": "host"}
    require("C: 12" in tree.run(program, environment=environment), "the program in C gave something else")
    parity = build / "tests/parity"
    tree.run(parity / "gpustream_parity_cases", build / "libgpustream.so", parity / "libgpustream_parity_native.so",
             tree.root / "tests/parity/cases.json", "made_up", environment={**environment, "GPUSTREAM_HOST_DEVICES": "2"})  # fmt: skip
    symbols = tree.run("nm", "-D", "--defined-only", build / "libgpustream.so", environment={"LC_ALL": "C", "PATH": os.environ["PATH"]})
    require("gs_made_sum@@GPUSTREAM_0.2" in symbols and "gs_init@@GPUSTREAM_0.1" in symbols, "the version nodes are wrong")
