# SPDX-License-Identifier: Apache-2.0
"""Checks that the packages of all languages state the same version, licence, author and addresses as the library.

usage: check_metadata.py ROOT

The version is the header's; Python's package reads it from there itself. The address is HOMEPAGE_URL in CMakeLists.txt.
What a registry needs to show a package must be there: description, keywords or categories, author, licence, addresses.
"""

import json
import pathlib
import re
import tomllib

from command_line import run
from maven_metadata import java_packages

LICENCE = "Apache-2.0"
CRATES = ("gpustream", "gpustream-sys")
INTEGRATIONS = ("dask", "ray", "torch")
# Packages of which the version is all that their format states.
STATED = {"bindings/zig/build.zig.zon": r'^    \.version = "(.*)",$'}


def header_version(root):
    text = (root / "include/gpustream.h").read_text()
    return ".".join(re.search(rf"#define GS_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def home(root):
    found = re.search(r'^ +HOMEPAGE_URL "([^"]+)"$', (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    return found[1] if found else None


def python_package(root, name):
    project = tomllib.loads((root / name).read_text())["project"]
    authors = [author.get("name") for author in project.get("authors", [])]
    urls = project.get("urls", {})
    licence = project.get("license")
    version = project.get("version") or ("version" in project.get("dynamic", ()) and "read from the header")
    return {"version": version, "licence": licence.get("text") if isinstance(licence, dict) else licence,
            "author": authors[0] if authors else None, "description": project.get("description"),
            "keywords": project.get("keywords"), "categories": project.get("classifiers"), "homepage": urls.get("Homepage"),
            "repository": urls.get("Repository"), "issues": urls.get("Issues"), "manual": urls.get("Documentation"),
            "changelog": urls.get("Changelog"), "readme": project.get("readme")}


def node_package(root):
    package = json.loads((root / "bindings/node/package.json").read_text())
    return {"version": package.get("version"), "licence": package.get("license"), "author": package.get("author"),
            "description": package.get("description"), "keywords": package.get("keywords"), "homepage": package.get("homepage"),
            "repository": package.get("repository", {}).get("url"), "issues": package.get("bugs")}


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
    pythons = ["bindings/python/pyproject.toml", *(f"integrations/{name}/pyproject.toml" for name in INTEGRATIONS)]
    packages = {name: python_package(root, name) for name in pythons} | java_packages(root)
    packages["bindings/node/package.json"] = node_package(root)
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
    for name, pattern in STATED.items():
        stated = re.findall(pattern, (root / name).read_text(), re.MULTILINE)
        if stated != [version]:
            defects.append(f"{name}: the version is '{', '.join(stated)}', not '{version}'")
    dependencies = tomllib.loads((root / "bindings/rust/Cargo.toml").read_text())["workspace"]["dependencies"]
    defects += [f"bindings/rust/Cargo.toml: the dependency {crate} has version '{dependencies[crate]['version']}', not '{version}'"
                for crate in CRATES if dependencies[crate]["version"] != version]
    return defects


if __name__ == "__main__":
    run(check, __doc__)
