# SPDX-License-Identifier: Apache-2.0
"""Checks that the packages of all languages state the same version, licence and author as the library.

usage: check_metadata.py ROOT

The version is the header's; Python's package reads it from there itself. What a registry needs to show a package must be
there: description, keywords or categories, author, licence.
"""

import pathlib
import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

LICENCE = "Apache-2.0"
POM = "{http://maven.apache.org/POM/4.0.0}"


def header_version(root):
    text = (root / "include/gpustream.h").read_text()
    return ".".join(re.search(rf"#define GS_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def python_package(root):
    project = tomllib.loads((root / "bindings/python/pyproject.toml").read_text())["project"]
    authors = [author.get("name") for author in project.get("authors", [])]
    return {"version": "dynamic" in project and "version" in project["dynamic"] and "read from the header", "licence": project.get("license"),
            "author": authors[0] if authors else None, "description": project.get("description"),
            "keywords": project.get("keywords"), "categories": project.get("classifiers")}


def rust_package(root, name):
    common = tomllib.loads((root / "bindings/rust/Cargo.toml").read_text())["workspace"]["package"]
    crate = tomllib.loads((root / "bindings/rust" / name / "Cargo.toml").read_text())["package"]
    values = {key: common.get(key) if isinstance(value, dict) and value.get("workspace") else value for key, value in crate.items()}
    return {"version": values.get("version"), "licence": values.get("license"), "author": (values.get("authors") or [None])[0],
            "description": values.get("description"), "keywords": values.get("keywords"), "categories": values.get("categories")}


def java_package(root):
    project = ElementTree.parse(root / "bindings/java/pom.xml").getroot()

    def text(path):
        return project.findtext("/".join(POM + part for part in path.split("/")))

    return {"version": text("version"), "licence": text("licenses/license/name"), "author": text("developers/developer/name"),
            "description": text("description")}


def check(root):
    """Returns one line per defect."""
    packages = {"bindings/python/pyproject.toml": python_package(root), "bindings/java/pom.xml": java_package(root)}
    packages |= {f"bindings/rust/{name}/Cargo.toml": rust_package(root, name) for name in ("gpustream", "gpustream-sys")}
    version, defects = header_version(root), []
    author = packages["bindings/rust/gpustream/Cargo.toml"]["author"]
    for name, package in packages.items():
        expected = {"version": (version, "read from the header"), "licence": (LICENCE,), "author": (author,)}
        for field, value in package.items():
            if not value:
                defects.append(f"{name}: the {field} is missing")
            elif value not in expected.get(field, (value,)):
                defects.append(f"{name}: the {field} is '{value}', not '{expected[field][0]}'")
    dependencies = tomllib.loads((root / "bindings/rust/Cargo.toml").read_text())["workspace"]["dependencies"]
    defects += [f"bindings/rust/Cargo.toml: the dependency {crate} has version '{dependencies[crate]['version']}', not '{version}'"
                for crate in ("gpustream", "gpustream-sys") if dependencies[crate]["version"] != version]
    return defects


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
