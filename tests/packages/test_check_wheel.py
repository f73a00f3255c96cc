# SPDX-License-Identifier: Apache-2.0
"""check_wheel.py on a wheel that is right, and on ones that are wrong in one way each.

usage: test_check_wheel.py LIBRARY

The build tree's library stands for the library, its tools and the extension module: what is checked of an object is the same.
"""
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
BUILT = pathlib.Path(sys.argv.pop()).read_bytes()
GLIBC = "9.9"  # this build's, for which no object here is too new
MACHINE = platform.machine()
NAME = f"gpustream-1.2.3-cp311-cp311-manylinux_9_9_{MACHINE}.whl"
MODULE = f"gpustream/_core.cpython-311-{MACHINE}-linux-gnu.so"
LIBRARIES = {"gpustream/libgpustream.so.0": BUILT, "gpustream/libgpustream_tools.so.0": BUILT}
COMMAND = {"gpustream/bin/gpustream": BUILT, "gpustream/gpustream/front/libcuda.so.1": BUILT,
           "gpustream/gpustream/simulated/libcuda.so.1": BUILT}
GOOD = {"gpustream/__init__.py": b"", **LIBRARIES, **COMMAND, MODULE: BUILT}


class CheckWheel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.library = self.folder / "libgpustream.so.0"
        for name in LIBRARIES:
            (self.folder / name.rpartition("/")[2]).write_bytes(BUILT)

    def run_on(self, content, name=NAME, machine=MACHINE, c_library=("--glibc", GLIBC)):
        wheel = self.folder / name
        with zipfile.ZipFile(wheel, "w") as archive:
            for path, data in content.items():
                archive.writestr(path, data)
        done = subprocess.run([sys.executable, HERE / "check_wheel.py", "--machine", machine, *c_library, "--library", self.library, wheel],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, [line.removeprefix(f"{name}: ") for line in done.stdout.splitlines()]

    def finds(self, wanted, content, **settings):
        status, found = self.run_on(content, **settings)
        self.assertEqual((status, found), (1, wanted))

    def test_right(self):
        status, lines = self.run_on(GOOD)
        self.assertEqual(status, 0, lines)
        self.assertIn("as it must be", lines[0])

    def test_tags(self):
        self.finds([f"is tagged linux_{MACHINE}, not manylinux_9_9_{MACHINE}"], GOOD, name=NAME.replace("manylinux_9_9", "linux"))
        status, lines = self.run_on(GOOD, name=NAME.replace("cp311-cp311", "cp311-abi3"))
        self.assertEqual((status, lines[0]), (1, "is tagged cp311-abi3"))

    def test_another_library(self):
        for name in LIBRARIES:
            released = self.folder / name.rpartition("/")[2]
            self.finds([f"its {released.name} is not {released}"], {**GOOD, name: BUILT[:-1] + bytes([BUILT[-1] ^ 1])})

    def test_no_library_and_two(self):
        wanted = " and ".join(LIBRARIES)
        self.finds([f"contains no library, not just {wanted}"], {name: data for name, data in GOOD.items() if "libgpustream" not in name})
        self.finds([f"contains gpustream.libs/libgpustream-1a2b.so.0, {', '.join(LIBRARIES)}, not just {wanted}"],
                   {**GOOD, "gpustream.libs/libgpustream-1a2b.so.0": BUILT})

    def test_no_command(self):
        for missing in COMMAND:
            self.finds([f"has no {missing}"], {name: data for name, data in GOOD.items() if name != missing})

    def test_module_of_another_interpreter(self):
        other = MODULE.replace("311", "312")
        self.finds([f"has no {MODULE}, but {other}"], {**LIBRARIES, **COMMAND, other: BUILT})

    def test_module_for_another_processor(self):
        wrong = bytearray(BUILT)
        wrong[18:20] = (183 if MACHINE == "x86_64" else 62).to_bytes(2, "little")
        self.finds([f"{MODULE} is for {'aarch64' if MACHINE == 'x86_64' else 'x86_64'}"], {**GOOD, MODULE: bytes(wrong)})

    def test_too_new_a_c_library(self):
        status, lines = self.run_on(GOOD, name=NAME.replace("9_9", "2_1"), c_library=("--glibc", "2.1"))
        self.assertEqual(status, 1)
        self.assertTrue(lines and all("which glibc 2.1 does not have" in line for line in lines), lines)

    def test_for_musl(self):
        """The objects here are for glibc, which is all that is wrong."""
        module = MODULE.replace("-gnu.so", "-musl.so")
        content = {**{name: data for name, data in GOOD.items() if name != MODULE}, module: BUILT}
        status, lines = self.run_on(content, name=NAME.replace("manylinux_9_9", "musllinux_1_2"), c_library=("--musl", "1.2"))
        self.assertEqual(status, 1)
        for name in (*LIBRARIES, *COMMAND, module):
            self.assertIn(f"{name} needs libc.so.6, which is not musl", lines)
        self.assertTrue(all(re.fullmatch(r"\S+ needs \S+( of \S+)?, (which is not musl|and musl has no versions)", line) for line in lines), lines)

    def test_for_glibc_where_musl_is_wanted(self):
        status, lines = self.run_on(GOOD, c_library=("--musl", "1.2"))
        self.assertEqual(status, 1)
        self.assertIn(f"is tagged manylinux_9_9_{MACHINE}, not musllinux_1_2_{MACHINE}", lines)
        self.assertIn(f"has no {MODULE.replace('-gnu.so', '-musl.so')}, but {MODULE}", lines)


if __name__ == "__main__":
    unittest.main()
