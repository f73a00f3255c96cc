# SPDX-License-Identifier: Apache-2.0
"""Old programs with this library, and new programs with the old one.

usage: test_upgrades.py ROOT LIBRARY COMPILER

The old version is the newest one in packaging/releases, before the first release the oldest node of the linker map, the ABI
baseline of the tree being its ABI. old_library.py makes its library out of this one.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import old_library

COMPILER = sys.argv.pop()
LIBRARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
SONAME = "libgpustream.so.0"

# Each struct that grows at its end, as the old version knew it: nothing is written beyond.
GROWING = """
#include <gpustream.h>
#include <stdio.h>
#include <string.h>
static unsigned char room[65536];
static int kept(const char *what, gs_status_t status, unsigned size) {{
    for (unsigned i = size; i < sizeof room; i++) {{
        if (room[i] != 0xa5) return fprintf(stderr, "%s wrote byte %u of %u\\n", what, i, size), 1;
    }}
    if (status != GS_OK) return fprintf(stderr, "%s: %s\\n", what, gs_status_name(status)), 1;
    return printf("%s: %u bytes\\n", what, size), 0;
}}
static void *prepared(unsigned size) {{
    uint32_t stated = size;
    memset(room, 0xa5, sizeof room);
    memcpy(room, &stated, sizeof stated);
    return room;
}}
int main(void) {{
    int failures = 0;
    failures += kept("gs_last_error", gs_last_error(prepared({gs_error_info_t})), {gs_error_info_t});
    failures += kept("gs_get_stats", gs_get_stats(prepared({gs_stats_t})), {gs_stats_t});
    failures += kept("gs_device_get_info", gs_device_get_info(GS_DEVICE(GS_BACKEND_HOST, 0), prepared({gs_device_info_t})), {gs_device_info_t});
    return failures;
}}
"""


def baseline():
    recorded = sorted((ROOT / "packaging/releases").glob("*.abi.json"), key=old_library.numbers)
    return json.loads((recorded[-1] if recorded else ROOT / "tests/abi/baseline/gpustream-0.json").read_text(encoding="utf-8"))


def old_size(fields):
    """Where the last field ends, rounded to the struct's alignment."""
    ends = [(int(at) + int(size), int(size)) for at, size in (re.search(r" at (\d+), (\d+) bytes", one).groups() for one in fields.values())]
    alignment = 8 if any("64_t" in one or "*" in one or "size_t" in one for one in fields.values()) else 4
    return (max(ends)[0] + alignment - 1) // alignment * alignment


class Upgrades(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.old, self.new = self.folder / "old", self.folder / "new"
        for place in (self.old, self.new):
            place.mkdir()
        self.kept, self.hidden = old_library.write_old(ROOT, LIBRARY, self.old / SONAME)
        (self.new / SONAME).symlink_to(LIBRARY)

    def program(self, text, against):
        """Compiled from text, linked with the library in a folder."""
        source, program = self.folder / "program.c", self.folder / "program"
        source.write_text(text)
        subprocess.run([COMPILER, f"-I{ROOT}/include", source, "-o", program, against / SONAME], check=True)
        return program

    def run_with(self, place, program):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(place), "GPUSTREAM_BACKEND": "host"}
        return subprocess.run([program], capture_output=True, text=True, env=environment)

    def test_the_old_version_is_another_one(self):
        self.assertEqual(set(baseline()["functions"]), self.kept)
        for name in self.kept:
            self.assertNotIn(name, self.hidden)

    def test_old_program_new_library(self):
        """Every old function is found under the version that the old program asks for."""
        addresses = "".join(f"    (void *)&{name},\n" for name in sorted(self.kept))
        program = self.program(f"#include <gpustream.h>\n#include <stdio.h>\nstatic void *all[] = {{\n{addresses}}};\n"
                               "int main(void) {\n    printf(\"%zu functions\\n\", sizeof all / sizeof *all);\n"
                               "    return gs_abi_version() == GS_ABI_VERSION ? 0 : 2;\n}\n", self.old)
        for place in (self.old, self.new):
            done = self.run_with(place, program)
            self.assertEqual((done.returncode, done.stdout), (0, f"{len(self.kept)} functions\n"), done.stderr)

    def test_old_structs_new_library(self):
        sizes = {name: old_size(fields) for name, fields in baseline().items() if name.endswith("_t") and isinstance(fields, dict)}
        done = self.run_with(self.new, self.program(GROWING.format(**sizes), self.old))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_new_program_that_uses_what_the_old_library_has(self):
        program = self.program((ROOT / "tests/consumer/consumer.c").read_text(encoding="utf-8"), self.new)
        done = self.run_with(self.old, program)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_new_program_that_uses_more(self):
        """The loader stops it before it runs, and names the version that is needed."""
        if not self.hidden:
            self.skipTest("this version has no function that the old one lacks")
        text = f"#include <gpustream.h>\nvoid *use = (void *)&{self.hidden[0]};\nint main(void) {{ return 0; }}\n"
        done = self.run_with(self.old, self.program(text, self.new))
        node = next(node for node, functions in old_library.nodes(ROOT).items() if self.hidden[0] in functions)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"version `{node}' not found", done.stderr)


if __name__ == "__main__":
    unittest.main()
