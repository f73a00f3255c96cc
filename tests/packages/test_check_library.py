# SPDX-License-Identifier: Apache-2.0
"""check_library.py finds what is wrong with copies of this build's library that were changed in one way each.

usage: test_check_library.py LIBRARY
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILT = pathlib.Path(sys.argv.pop())
NEWER_GLIBC = "9.9"


def objcopy(*arguments):
    subprocess.run(["objcopy", *map(str, arguments)], check=True)


class CheckLibrary(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.library = self.folder / "libgpustream.so.0"
        shutil.copy(BUILT, self.library)

    def release(self):
        """As scripts/package leaves it."""
        debug = self.folder / "libgpustream.so.0.debug"
        objcopy("--only-keep-debug", self.library, debug)
        objcopy("--strip-all", f"--add-gnu-debuglink={debug}", self.library)
        return debug

    def findings(self, c_library=("--glibc", NEWER_GLIBC), machine=platform.machine(), largest=1 << 30):
        done = subprocess.run([sys.executable, HERE / "check_library.py", *c_library, "--machine", machine, "--largest", str(largest),
                               self.library], capture_output=True, text=True)
        lines = [line.removeprefix(f"{self.library}: ") for line in done.stdout.splitlines()]
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1, lines)
        # Debug information of the build tree's library names its folders.
        return [line for line in lines if "paths of the machine" not in line]

    def test_nothing_else_is_wrong(self):
        self.release()
        self.assertEqual(self.findings(machine="riscv64"), [f"is for {platform.machine()}, not riscv64"])

    def test_not_stripped(self):
        self.assertEqual(self.findings(), ["is not stripped", "names no debug file"])

    def test_too_large(self):
        self.release()
        self.assertRegex(self.findings(largest=1000)[0], r"has \d+ bytes, more than 1000")

    def test_needs_a_newer_c_library(self):
        self.release()
        found = self.findings(("--glibc", "2.1"))
        self.assertTrue(found)
        for line in found:
            self.assertRegex(line, r"^needs GLIBC_2[0-9.]+ of [a-z0-9.-]+, which glibc 2\.1 does not have$")

    def test_is_for_glibc_where_musl_is_wanted(self):
        self.release()
        found = self.findings(["--musl"])
        self.assertIn("needs libc.so.6, which is not musl", found)
        self.assertTrue(any(re.fullmatch(r"needs GLIBC_2[0-9.]+ of libc\.so\.6, and musl has no versions", line) for line in found), found)

    def test_packed_relocations(self):
        self.release()
        data = bytearray(self.library.read_bytes())
        # Its entry DT_SONAME (14) becomes one of DT_RELR: what the check reads is the tags.
        at = next(at for at in range(0, len(data), 8) if data[at:at + 8] == (14).to_bytes(8, "little") and data[at - 16:at - 8] == (1).to_bytes(8, "little"))
        data[at] = 36
        self.library.write_bytes(data)
        self.assertIn("has packed relocations (DT_RELR), which musl before 1.2.4 does not apply", self.findings(["--musl"]))

    def test_without_its_notes(self):
        self.release()
        objcopy("--remove-section=.note.dlopen", "--remove-section=.note.gnu.build-id", self.library)
        self.assertEqual(self.findings(), ["has no build id", ".note.dlopen names nothing, not libcuda.so.1, libnvidia-ml.so.1"])

    def test_a_note_that_nobody_can_read(self):
        self.release()
        data = self.library.read_bytes()
        self.library.write_bytes(data.replace(b'[{"feature":"cuda"', b'[{"feature";"cuda"'))
        self.assertRegex(self.findings()[0], r"^its \.note\.dlopen cannot be read: ")

    def test_debug_file_of_another_build(self):
        debug = self.release()
        debug.write_bytes(debug.read_bytes() + b"\0")
        self.assertEqual(self.findings(), ["its debug file libgpustream.so.0.debug is of another build"])

    def test_debug_file_missing(self):
        self.release().unlink()
        self.assertEqual(self.findings(), ["its debug file libgpustream.so.0.debug is missing"])


if __name__ == "__main__":
    unittest.main()
