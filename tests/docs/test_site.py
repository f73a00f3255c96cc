#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/docs, on a small tree: links and anchors that lead nowhere stop it, source files become pages, and check_site.py
finds what is missing. Runs in the environment that has MkDocs."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from check_site import defects

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "# top\n\n[documents](docs/README.md) [code](src/a.hpp) `gs_one(1)` `gs_other()`\n",
    "docs/README.md": "# documents\n\n## Guide: how\n\n[guide](guide.md#part)\n\n## Reference\n\n[all](reference/README.md)\n",
    "docs/guide.md": "# guide\n\n## part\n\n[folder](../src)\n",
    "docs/reference/README.md": "# reference\n\n[ones](ones.md)\n",
    "docs/reference/ones.md": "# ones\n\n## gs_one\n",
    "src/a.hpp": "int ``` <b>;\n",
    "bindings/python/src/gpustream/__init__.py": '"""Words of a docstring."""\n',
}


class Site(unittest.TestCase):
    def build(self, **changes):
        """The tree, and what MkDocs said, or None if it succeeded."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name, text in {**PAGES, **changes}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        (root / "scripts/lib").mkdir(parents=True)
        for name in ("mkdocs.yml", "site_hooks.py"):
            shutil.copy(ROOT / "scripts/lib" / name, root / "scripts/lib")
        (root / "build/docs/empty").mkdir(parents=True)
        api = json.loads((ROOT / "api/gpustream.json").read_text(encoding="utf-8"))
        api["functions"] = [{**api["functions"][0], "name": "gs_one"}]
        (root / "api").mkdir()
        (root / "api/gpustream.json").write_text(json.dumps(api), encoding="utf-8")
        subprocess.run([ROOT / "scripts/lib/man_pages.py", root / "build/docs/man", "--api", root / "api/gpustream.json"], check=True)
        command = [sys.executable, "-B", "-m", "mkdocs", "build", "--strict", "--config-file", root / "scripts/lib/mkdocs.yml"]
        done = subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, stderr=subprocess.PIPE, text=True)
        return root, done.stderr if done.returncode else None

    def test_pages_sources_and_functions(self):
        root, said = self.build()
        self.assertIsNone(said)
        self.assertEqual(list(defects(root)), [])
        site = root / "build/docs/site"
        top = (site / "index.html").read_text(encoding="utf-8")
        self.assertIn('<a href="docs/reference/ones.html#gs_one"><code>gs_one(1)</code></a>', top)
        self.assertIn(" <code>gs_other()</code>", top)
        self.assertIn("src/a.hpp.html", top)
        self.assertIn("```</span>", (site / "src/a.hpp.html").read_text(encoding="utf-8"))
        self.assertIn("a.hpp", (site / "src/index.html").read_text(encoding="utf-8"))
        self.assertIn("Words of a docstring.", (site / "docs/python/gpustream.html").read_text(encoding="utf-8"))

    def test_a_link_that_leads_nowhere(self):
        self.assertIn("'missing.md'", self.build(**{"docs/guide.md": "# guide\n\n## part\n\n[no](missing.md)\n"})[1])
        self.assertIn("'../src/b.hpp'", self.build(**{"docs/guide.md": "# guide\n\n## part\n\n[no](../src/b.hpp)\n"})[1])

    def test_an_anchor_that_leads_nowhere(self):
        self.assertIn("#part", self.build(**{"docs/guide.md": "# guide\n"})[1])

    def test_what_is_missing_is_found(self):
        root, said = self.build(**{"docs/reference/ones.md": "# ones\n\n<script src=\"https://elsewhere/a.js\"></script>\n"})
        self.assertIsNone(said)
        (root / "build/docs/man/man3/gs_one.3").unlink()
        found = list(defects(root))
        self.assertEqual(found[:2], ["gs_one has no place on the site", "gs_one has no page for man"])
        self.assertIn("loads <script", found[2])


if __name__ == "__main__":
    unittest.main()
