# SPDX-License-Identifier: Apache-2.0
"""Builds a shared library with the header's functions as empty bodies, right but for what a fixture asks for."""
import re
import subprocess

import generator_path  # noqa: F401
from generator.tree import read_header

UNIQUE = """
// Inline statics of templates are what g++ makes STB_GNU_UNIQUE.
template <typename T> struct Once { static T value; };
template <typename T> T Once<T>::value;
extern "C" __attribute__((visibility("default"))) int *gs_fixture_unique() { return &Once<int>::value; }
"""


def build_library(tree, folder, wanted):
    """wanted: omit [names], extra [names], data [names], map (text of the linker map; default the tree's), unique, table (bytes
    of initialised data), source (C text instead of the empty bodies), name (of the file), debug."""
    names = [function.name for function in read_header(tree).api.functions]
    source = "typedef int fixture_t;\n"
    for name in names + wanted.get("extra", []):
        if name in wanted.get("omit", []):
            continue
        source += f"int {name};\n" if name in wanted.get("data", []) else f"int {name}(void);\nint {name}(void) {{ return 0; }}\n"
    if "table" in wanted:
        source += f"static char table[{wanted['table']}] = {{1}};\nchar *gs_fixture_table(void);\nchar *gs_fixture_table(void) {{ return table; }}\n"
    source = wanted.get("source", source)
    map_text = wanted.get("map", (tree / "src/gpustream.map").read_text(encoding="utf-8"))
    for name in wanted.get("extra", []) + (["*Once*"] if wanted.get("unique") else []):
        if "map" not in wanted:
            pattern = f'extern "C++" {{ Once*; }};' if name == "*Once*" else f"{name};"
            map_text = re.sub(r"global:", lambda match: f"global: {pattern}", map_text, count=1)
    (folder / "library.c").write_text(source, encoding="utf-8")
    (folder / "library.map").write_text(map_text, encoding="utf-8")
    objects = [str(folder / "library.c")]
    if wanted.get("unique"):
        (folder / "unique.cpp").write_text(UNIQUE, encoding="utf-8")
        objects.append(str(folder / "unique.cpp"))
    command = ["g++" if wanted.get("unique") else "gcc", "-shared", "-fPIC", "-I", str(tree / "include")]
    command += ["-x", "c", objects[0]] + (["-x", "c++", objects[1]] if len(objects) > 1 else [])
    command += ["-g"] if wanted.get("debug") else []
    command += ["-x", "none", "-Wl,-soname,libgpustream.so.0", "-o", str(folder / wanted.get("name", "library.so"))]
    if map_text:
        command.append(f"-Wl,--version-script={folder / 'library.map'}")
    subprocess.run(command, check=True)
