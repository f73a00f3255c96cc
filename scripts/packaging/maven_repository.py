# SPDX-License-Identifier: Apache-2.0
"""Lays what Maven has built out as a repository, with the checksums that Maven Central demands.

usage: maven_repository.py --built bindings/java --version VERSION --date SECONDS --out DIST/java PROCESSOR...

The deploy plugin would also write maven-metadata.xml, with the time of the build; Central makes its own.
"""
import argparse
import hashlib
import pathlib
import shutil
import time
import zipfile

GROUP = "io/gpustream"
SUMS = ("md5", "sha1", "sha256", "sha512")
# Central demands both of every artifact that is an archive; this one has no classes.
EMPTY = """gpustream-natives contains no Java code: {what} are those of the artifact gpustream.
The libraries are in the archives with the classifiers linux-x86_64 and linux-aarch64.
"""


def place(out, artifact, version):
    folder = out / GROUP / artifact / version
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def readme(path, what, date):
    """An archive with a README, of the same bytes wherever it is made."""
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("README", time.gmtime(date)[:6])
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, EMPTY.format(what=what))


def lay_out(arguments):
    version, out, built = arguments.version, arguments.out, arguments.built
    for artifact, source in (("gpustream-parent", built), ("gpustream", built / "gpustream"), ("gpustream-natives", built / "natives")):
        shutil.copyfile(source / "pom.xml", place(out, artifact, version) / f"{artifact}-{version}.pom")
    for rest in ("", "-sources", "-javadoc"):
        name = f"gpustream-{version}{rest}.jar"
        shutil.copyfile(built / "gpustream/target" / name, place(out, "gpustream", version) / name)
    natives = place(out, "gpustream-natives", version)
    for rest in ("", *(f"-linux-{processor}" for processor in arguments.processors)):
        name = f"gpustream-natives-{version}{rest}.jar"
        shutil.copyfile(built / "natives/target" / name, natives / name)
    for rest, what in (("sources", "its sources"), ("javadoc", "its pages")):
        readme(natives / f"gpustream-natives-{version}-{rest}.jar", what, arguments.date)


def add_sums(out):
    for path in sorted((out / GROUP).rglob("*")):
        if path.suffix in (".pom", ".jar"):
            for kind in SUMS:
                path.with_name(f"{path.name}.{kind}").write_text(hashlib.new(kind, path.read_bytes()).hexdigest(), encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--built", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("processors", nargs="+")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    lay_out(arguments)
    add_sums(arguments.out)


if __name__ == "__main__":
    main()
