# SPDX-License-Identifier: Apache-2.0
"""The recipes in dist/recipes are read by the tools they are for, and name the source archive beside them.

rattler-build renders conda-forge's for two versions of Python; Conan loads its class; vcpkg's tool is not in a registry, so
its two files are held to the rules of its schema that concern them.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "dist/recipes"
sys.path.insert(0, str(ROOT / "scripts/packaging"))
from version import version  # noqa: E402

VERSION = version(ROOT)
ARCHIVE = ROOT / f"dist/c/gpustream-{VERSION}-source.tar.gz"
# What conda-forge sets for Linux.
VARIANTS = {"python": ["3.11.* *_cpython", "3.13.* *_cp313"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"],
            "c_compiler": ["gcc"], "cxx_compiler": ["gxx"]}


class Recipes(unittest.TestCase):
    def test_debian(self):
        folder = RECIPES / "debian"
        text = (folder / f"gpustream_{VERSION}+ds-1.dsc").read_text(encoding="utf-8")
        packages = tomllib.loads((ROOT / "packaging/debian/packages.toml").read_text(encoding="utf-8"))
        self.assertEqual(re.search(r"^Binary: (.*)$", text, re.MULTILINE)[1].split(", "), list(packages))
        with tarfile.open(folder / f"gpustream_{VERSION}+ds.orig.tar.gz") as tar:
            names = tar.getnames()
        self.assertIn(f"gpustream-{VERSION}+ds/include/gpustream.h", names)
        self.assertEqual([name for name in names if name.endswith(".cubin")], [])

    def test_conda(self):
        from rattler_build import Stage0Recipe, VariantConfig
        rendered = [variant.recipe.to_dict() for variant in
                    Stage0Recipe.from_file(RECIPES / "conda/recipe.yaml").render(VariantConfig(VARIANTS))]
        names = sorted({recipe["package"]["name"] for recipe in rendered})
        self.assertEqual(names, ["gpustream", "libgpustream"])
        for recipe in rendered:
            self.assertEqual(str(recipe["package"]["version"]), VERSION)
            requirements = recipe["requirements"]
            if recipe["package"]["name"] == "libgpustream":
                pinned, = requirements["run_exports"]["weak"]
                self.assertEqual(pinned["pin_subpackage"]["name"], "libgpustream")
            self.assertFalse([one for one in requirements.get("run", []) if "cuda" in str(one)], "no GPU is needed to run")
        self.assertIn(hashlib.sha256(ARCHIVE.read_bytes()).hexdigest(), (RECIPES / "conda/recipe.yaml").read_text())

    def test_conan(self):
        with tempfile.TemporaryDirectory() as home:
            shown = subprocess.run([pathlib.Path(sys.executable).parent / "conan", "inspect", "--format", "json", RECIPES / "conan/conanfile.py"],
                                   check=True, capture_output=True, text=True, env={**os.environ, "CONAN_HOME": home}).stdout
        recipe = json.loads(shown)
        self.assertEqual((recipe["name"], recipe["version"], recipe["package_type"]), ("gpustream", VERSION, "shared-library"))
        self.assertIn(hashlib.sha256(ARCHIVE.read_bytes()).hexdigest(), (RECIPES / "conan/conanfile.py").read_text())

    def test_vcpkg(self):
        manifest = json.loads((RECIPES / "vcpkg/vcpkg.json").read_text())
        self.assertEqual((manifest["name"], manifest["version"], manifest["license"]), ("gpustream", VERSION, "Apache-2.0"))
        port = (RECIPES / "vcpkg/portfile.cmake").read_text()
        self.assertIn(hashlib.sha512(ARCHIVE.read_bytes()).hexdigest(), port)
        for option in re.findall(r"-D(GPUSTREAM_\w+)=", port):
            self.assertIn(f"({option} ", (ROOT / "CMakeLists.txt").read_text(), f"CMakeLists.txt has no option {option}")


if __name__ == "__main__":
    unittest.main()
