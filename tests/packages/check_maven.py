# SPDX-License-Identifier: Apache-2.0
"""Checks the archives for Maven Central: what it demands, and what the binding needs at run time.

usage: check_maven.py REPOSITORY VERSION PROCESSOR...
"""
import hashlib
import pathlib
import struct
import sys
import xml.etree.ElementTree
import zipfile

POM = "{http://maven.apache.org/POM/4.0.0}"
# https://central.sonatype.org/publish/requirements: of each POM, or of its parent.
DEMANDED = ("name", "description", "url", "licenses", "developers", "scm")
MACHINES = {"x86_64": 62, "aarch64": 183}
GPUSTREAM = {
    "": (
        "META-INF/LICENSE",
        "module-info.class",
        "io/gpustream/Stream.class",
        "META-INF/versions/22/io/gpustream/GraphSegments.class",
    ),
    "-sources": ("io/gpustream/Stream.java", "META-INF/versions/22/io/gpustream/GraphSegments.java"),
    "-javadoc": ("index.html", "io.gpustream/io/gpustream/Stream.html"),
}


def manifest(archive):
    text = archive.read("META-INF/MANIFEST.MF").decode()
    return dict(line.split(": ", 1) for line in text.replace("\r\n ", "").splitlines() if ": " in line)


def check_pom(path, parent):
    own = {child.tag.removeprefix(POM) for child in xml.etree.ElementTree.parse(path).getroot()}
    for wanted in DEMANDED:
        if wanted not in own | parent:
            yield f"{path.name}: no <{wanted}>"


def check_jar(path, names):
    if not path.is_file():
        yield f"{path.name} is missing"
        return
    with zipfile.ZipFile(path) as archive:
        present = set(archive.namelist())
        for name in names:
            if name not in present and not any(each.endswith(name.split("/", 1)[-1]) for each in present if "javadoc" in path.name):
                yield f"{path.name}: no {name}"
        if path.name.count("-") == 1 and manifest(archive).get("Multi-Release") != "true":
            yield f"{path.name}: is not a multi-release archive"


def check_native(path, processor):
    if not path.is_file():
        yield f"{path.name} is missing"
        return
    with zipfile.ZipFile(path) as archive:
        for name in ("libgpustream.so.0", "libgpustream_tools.so.0", "libgpustreamjni.so"):
            try:
                content = archive.read(f"META-INF/gpustream/linux-{processor}/{name}")
            except KeyError:
                yield f"{path.name}: no {name}"
                continue
            if content[:4] != b"\x7fELF" or struct.unpack_from("<H", content, 18)[0] != MACHINES[processor]:
                yield f"{path.name}: {name} is not for {processor}"
        if manifest(archive).get("Automatic-Module-Name") != "io.gpustream.natives":
            yield f"{path.name}: no module name"
        others = [name for name in archive.namelist() if "/linux-" in name and f"/linux-{processor}/" not in name]
        if others:
            yield f"{path.name}: libraries for another processor: {others}"


def check_sums(folder):
    files = [path for path in folder.rglob("*") if path.suffix in (".pom", ".jar")]
    for path in files:
        for kind in ("md5", "sha1", "sha256", "sha512"):
            stated = path.with_name(f"{path.name}.{kind}")
            if not stated.is_file() or stated.read_text() != hashlib.new(kind, path.read_bytes()).hexdigest():
                yield f"{path.name}.{kind} is missing or wrong"


def findings(repository, version, processors):
    home = repository / "io/gpustream"
    place = lambda artifact, rest: home / artifact / version / f"{artifact}-{version}{rest}"  # noqa: E731
    parent_pom = place("gpustream-parent", ".pom")
    parent = {child.tag.removeprefix(POM) for child in xml.etree.ElementTree.parse(parent_pom).getroot()}
    for artifact in ("gpustream-parent", "gpustream", "gpustream-natives"):
        yield from check_pom(place(artifact, ".pom"), parent)
    for classifier, names in GPUSTREAM.items():
        yield from check_jar(place("gpustream", f"{classifier}.jar"), names)
    # Central wants both of every artifact, with or without classes.
    for rest in (".jar", "-sources.jar", "-javadoc.jar"):
        if not place("gpustream-natives", rest).is_file():
            yield f"gpustream-natives-{version}{rest} is missing"
    for processor in processors:
        yield from check_native(place("gpustream-natives", f"-linux-{processor}.jar"), processor)
    yield from check_sums(home)


def main():
    found = list(findings(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
