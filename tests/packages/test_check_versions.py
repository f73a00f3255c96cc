# SPDX-License-Identifier: Apache-2.0
"""scripts/packaging/check_versions.py finds versions that differ, and the tree has none."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/packaging"))
import check_versions  # noqa: E402


class Versions(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, path, text=""):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def test_the_tree(self):
        done = subprocess.run([ROOT / "scripts/package", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_recipe_with_a_version(self):
        self.write("packaging/conan/conanfile.py", 'name = "gpustream"\nversion = "7.8.9"\n')
        self.assertEqual(list(check_versions.templates(self.root)),
                         ["packaging/conan/conanfile.py:2: states the version 7.8.9; write @VERSION@"])

    def test_packages(self):
        for path in ("python/gpustream-1.2.3-cp311-cp311-manylinux_2_17_x86_64.whl", "python/gpustream-1.2.3.tar.gz",
                     "deb/libgpustream0_1.2.3-1_amd64.deb", "c/gpustream-1.2.3-linux-x86_64.tar.gz", "SHA256SUMS"):
            self.write(f"dist/{path}")
        self.assertEqual(list(check_versions.packages(self.root, "1.2.3")), [])
        self.write("dist/deb/libgpustream-dev_1.2.2-1_amd64.deb")
        self.write("dist/c/gpustream.tar.gz")
        self.write("dist/java/io/gpustream/gpustream/1.2.2/gpustream-1.2.2.jar.md5")
        self.write("dist/rust/gpustream-sys-1.2.4.crate")
        self.assertEqual(list(check_versions.packages(self.root, "1.2.3")),
                         ["dist/c/gpustream.tar.gz: its name has no version",
                          "dist/deb/libgpustream-dev_1.2.2-1_amd64.deb: is of version 1.2.2, not 1.2.3",
                          "dist/java/io/gpustream/gpustream/1.2.2/gpustream-1.2.2.jar.md5: is of version 1.2.2, not 1.2.3",
                          "dist/rust/gpustream-sys-1.2.4.crate: is of version 1.2.4, not 1.2.3"])


if __name__ == "__main__":
    unittest.main()
