# SPDX-License-Identifier: Apache-2.0
"""Checks that the packages of all languages state the same version, licence, author and addresses as the library.

usage: check_metadata.py ROOT

The version is the header's; Python's package reads it from there itself. The address is HOMEPAGE_URL in CMakeLists.txt.
What a registry needs to show a package must be there: description, keywords or categories, author, licence, addresses.
"""

import pathlib
import re
import tomllib

from command_line import run
from maven_metadata import java_packages

LICENCE = "Apache-2.0"
CRATES = ("gpustream", "gpustream-sys")


def header_version(root):
    text = (root / "include/gpustream.h").read_text()
    return ".".join(re.search(rf"#define GS_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def home(root):
    found = re.search(r'^ +HOMEPAGE_URL "([^"]+)"$', (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    return found[1] if found else None


def python_package(root):
    project = tomllib.loads((root / "bindings/python/pyproject.toml").read_text())["project"]
    authors = [author.get("name") for author in project.get("authors", [])]
    urls = project.get("urls", {})
    return {"version": "dynamic" in project and "version" in project["dynamic"] and "read from the header", "licence": project.get("license"),
            "author": authors[0] if authors else None, "description": project.get("description"),
            "keywords": project.get("keywords"), "categories": project.get("classifiers"), "homepage": urls.get("Homepage"),
            "repository": urls.get("Repository"), "issues": urls.get("Issues"), "manual": urls.get("Documentation"),
            "changelog": urls.get("Changelog")}


def rust_package(root, name):
    common = tomllib.loads((root / "bindings/rust/Cargo.toml").read_text())["workspace"]["package"]
    crate = tomllib.loads((root / "bindings/rust" / name / "Cargo.toml").read_text())["package"]
    values = {key: common.get(key) if isinstance(value, dict) and value.get("workspace") else value for key, value in crate.items()}
    return {"version": values.get("version"), "licence": values.get("license"), "author": (values.get("authors") or [None])[0],
            "description": values.get("description"), "keywords": values.get("keywords"), "categories": values.get("categories"),
            "homepage": values.get("homepage"), "repository": values.get("repository"), "crate's manual": values.get("documentation")}


def expected_values(root, name, author):
    """Field to the values that it may have; any value will do for other fields, but for none."""
    address = home(root)
    return {"version": (header_version(root), "read from the header"), "licence": (LICENCE,), "author": (author,),
            "homepage": (address,), "repository": (address,), "issues": (f"{address}/issues",), "manual": (f"{address}/tree/main/docs",),
            "changelog": (f"{address}/blob/main/CHANGELOG.md",), "scm connection": (f"scm:git:{address}.git",),
            "crate's manual": (f"https://docs.rs/{pathlib.PurePath(name).parent.name}",)}


def check(root):
    """Returns one line per defect."""
    if not home(root):
        return ["CMakeLists.txt: project() has no HOMEPAGE_URL"]
    packages = {"bindings/python/pyproject.toml": python_package(root)} | java_packages(root)
    packages |= {f"bindings/rust/{name}/Cargo.toml": rust_package(root, name) for name in CRATES}
    author, defects = packages["bindings/rust/gpustream/Cargo.toml"]["author"], []
    for name, package in packages.items():
        expected = expected_values(root, name, author)
        for field, value in package.items():
            if not value:
                defects.append(f"{name}: the {field} is missing")
            elif value not in expected.get(field, (value,)):
                defects.append(f"{name}: the {field} is '{value}', not '{expected[field][0]}'")
    version = header_version(root)
    dependencies = tomllib.loads((root / "bindings/rust/Cargo.toml").read_text())["workspace"]["dependencies"]
    defects += [f"bindings/rust/Cargo.toml: the dependency {crate} has version '{dependencies[crate]['version']}', not '{version}'"
                for crate in CRATES if dependencies[crate]["version"] != version]
    return defects


if __name__ == "__main__":
    run(check, __doc__)
