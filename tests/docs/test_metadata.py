# SPDX-License-Identifier: Apache-2.0
"""check_metadata.py on copies of the packages' files: as they are, and with one defect each."""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_metadata import check  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON, JAVA, RUST = "bindings/python/pyproject.toml", "bindings/java/pom.xml", "bindings/rust/Cargo.toml"
SAFE, RAW, HEADER = "bindings/rust/gpustream/Cargo.toml", "bindings/rust/gpustream-sys/Cargo.toml", "include/gpustream.h"
CMAKE, NATIVES = "CMakeLists.txt", "bindings/java/natives/pom.xml"
NODE, ZIG = "bindings/node/package.json", "bindings/zig/build.zig.zon"
DASK, RAY, TORCH = (f"integrations/{name}/pyproject.toml" for name in ("dask", "ray", "torch"))
POMS = [str(path.relative_to(ROOT)) for folder in ("bindings/java", "examples/java") for path in (ROOT / folder).glob("**/pom.xml")]


class MetadataTest(unittest.TestCase):
    def defects(self, name=None, old="", new=""):
        with tempfile.TemporaryDirectory() as folder:
            for file in (CMAKE, PYTHON, RUST, SAFE, RAW, HEADER, NODE, ZIG, DASK, RAY, TORCH, *POMS):
                path = pathlib.Path(folder, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, path)
            if name:
                path = pathlib.Path(folder, name)
                self.assertIn(old, path.read_text())
                path.write_text(path.read_text().replace(old, new))
            return check(pathlib.Path(folder))

    def test_the_packages_agree(self):
        self.assertEqual(self.defects(), [])

    def test_another_version(self):
        self.assertEqual(len(self.defects(JAVA, "<version>0.1.0</version>", "<version>0.2.0</version>")), 1)
        self.assertEqual(len(self.defects(RUST, 'path = "gpustream-sys", version = "0.1.0"', 'path = "gpustream-sys", version = "0.1.1"')), 1)
        self.assertEqual(len(self.defects(NODE, '"version": "0.1.0"', '"version": "0.1.1"')), 1)
        self.assertEqual(len(self.defects(RAY, 'version = "0.1.0"', 'version = "0.1.1"')), 1)
        self.assertEqual(len(self.defects(ZIG, '.version = "0.1.0"', '.version = "0.2.0"')), 1)
        self.assertEqual(len(self.defects(PYTHON, 'dynamic = ["version"]', "dynamic = []")), 1)
        self.assertGreater(len(self.defects(HEADER, "#define GS_VERSION_PATCH 0", "#define GS_VERSION_PATCH 7")), 3)

    def test_another_licence_or_author(self):
        self.assertEqual(len(self.defects(PYTHON, 'license = "Apache-2.0"', 'license = "MIT"')), 1)
        self.assertEqual(len(self.defects(TORCH, 'text = "Apache-2.0"', 'text = "MIT"')), 1)
        self.assertEqual(len(self.defects(NODE, '"license": "Apache-2.0"', '"license": "MIT"')), 1)
        self.assertEqual(len(self.defects(JAVA, "<name>The gpustream maintainers</name>", "<name>X</name>")), 1)

    def test_another_address(self):
        self.assertEqual(self.defects(CMAKE, "  HOMEPAGE_URL ", "  # "), ["CMakeLists.txt: project() has no HOMEPAGE_URL"])
        self.assertEqual(len(self.defects(CMAKE, "github.com/", "example.org/")), 31)
        self.assertEqual(len(self.defects(PYTHON, "/issues", "/bugs")), 1)
        self.assertEqual(len(self.defects(RAW, "https://docs.rs/gpustream-sys", "https://docs.rs/gpustream")), 1)
        self.assertEqual(len(self.defects(NATIVES, "  <name>", "  <url>https://example.org</url>\n  <name>")), 1)
        self.assertEqual(len(self.defects(JAVA, 'child.scm.url.inherit.append.path="false"', "")), 1)

    def test_what_is_missing(self):
        self.assertEqual(len(self.defects(SAFE, "keywords.workspace = true\n")), 1)
        self.assertEqual(len(self.defects(RAW, 'description = "', 'other = "')), 1)
        self.assertEqual(len(self.defects(PYTHON, "authors = ", "maintainers = ")), 1)
        self.assertEqual(len(self.defects(SAFE, "repository.workspace = true\n")), 1)
        self.assertEqual(len(self.defects(JAVA, "issueManagement>", "organisation>")), 1)
        self.assertEqual(len(self.defects(NATIVES, "description>", "other>")), 1)
        self.assertEqual(len(self.defects(NODE, '"author"', '"authors"')), 1)
        self.assertEqual(len(self.defects(DASK, "classifiers = ", "other = ")), 1)
        self.assertEqual(len(self.defects(RAY, 'readme = "README.md"\n', "")), 1)


if __name__ == "__main__":
    unittest.main()
