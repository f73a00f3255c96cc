# SPDX-License-Identifier: Apache-2.0
"""Writes dist/gpustream-VERSION.spdx.json: what the packages contain, with checksums (SPDX 2.3).

usage: spdx.py --root ROOT --dist DIST --version VERSION

Besides gpustream itself, the libraries contain parts of the compiler's C++ runtime: libc++, libc++abi and libunwind of LLVM,
as zig carries them. The headers of the CUDA driver are compiled in as declarations only.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import uuid

LICENCE = "Apache-2.0"
RUNTIME_LICENCE = "Apache-2.0 WITH LLVM-exception"
NAMESPACE = uuid.UUID("9d3ce2ce-7a0c-5e3c-8a37-7a5e6e7a6b0d")


def digest(path, algorithm):
    return hashlib.new(algorithm, path.read_bytes()).hexdigest()


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def address(root):
    return re.search(r'HOMEPAGE_URL "([^"]+)"', (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def compiler_version(root):
    return re.search(r"^ziglang==(\S+)$", (root / "scripts/lib/requirements-package.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def package(name, version, licence, location, **further):
    return {"SPDXID": identifier(f"Package-{name}"), "name": name, "versionInfo": version, "downloadLocation": location,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False, **further}


def artefacts(dist):
    for path in sorted(dist.rglob("*")):
        if path.is_file() and path.name != "SHA256SUMS" and not path.name.endswith(".spdx.json"):
            yield path


def document(root, dist, version):
    home, compiler = address(root), compiler_version(root)
    packages = [
        package("gpustream", version, LICENCE, f"git+{home}.git", homepage=home, supplier="Organization: The gpustream maintainers",
                externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": f"pkg:github/gpustream/gpustream@{version}"}]),
        package("llvm-runtime", compiler, RUNTIME_LICENCE, f"git+https://codeberg.org/ziglang/zig@{compiler}",
                comment="libc++, libc++abi, libunwind and compiler-rt, as this version of zig carries them; linked into the libraries"),
    ]
    files = [{"SPDXID": identifier(f"File-{path.relative_to(dist)}"), "fileName": f"./{path.relative_to(dist)}",
              "licenseConcluded": LICENCE, "licenseInfoInFiles": [LICENCE], "copyrightText": "NOASSERTION",
              "checksums": [{"algorithm": "SHA1", "checksumValue": digest(path, "sha1")},
                            {"algorithm": "SHA256", "checksumValue": digest(path, "sha256")}]} for path in artefacts(dist)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", packages[0]["SPDXID"]), (packages[0]["SPDXID"], "CONTAINS", packages[1]["SPDXID"])]
    relations += [(packages[0]["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    # Of the content, so that the same packages have the same document.
    content = "".join(file["checksums"][1]["checksumValue"] for file in files)
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"gpustream-{version}",
        "documentNamespace": f"{home}/spdx/{version}/{uuid.uuid5(NAMESPACE, content)}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: gpustream-scripts-package"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    target = arguments.dist / f"gpustream-{arguments.version}.spdx.json"
    target.write_text(json.dumps(document(arguments.root, arguments.dist, arguments.version), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
