# SPDX-License-Identifier: Apache-2.0
"""The folders that dpkg-deb packs: what the packages of packaging/debian/packages.toml share.

A package's files come from a staged /usr. Each package says who it is in DEBIAN/control, and carries copyright and
changelog as Debian's policy wants them.
"""
import fnmatch
import gzip
import hashlib
import pathlib
import shutil
import time
from typing import NamedTuple

MAINTAINER = "The gpustream maintainers <maintainers@gpustream.io>"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class Release(NamedTuple):
    root: pathlib.Path
    version: str  # gpustream's
    machine: str  # x86_64 or aarch64
    date: int

    @property
    def revision(self):
        return f"{self.version}-1"

    @property
    def architecture(self):
        return ARCHITECTURES[self.machine]

    def fill(self, text):
        return text.replace("@MULTIARCH@", f"{self.machine}-linux-gnu").replace("@VERSION@", self.revision)


def move(staged, patterns, target):
    """Every pattern must match: a package without what it is for is a mistake here."""
    for pattern in patterns:
        place = (staged / pattern).parent
        # glob() would miss a link whose file is in another package by now.
        found = sorted(path for path in place.iterdir() if fnmatch.fnmatch(path.name, pathlib.PurePath(pattern).name)) if place.is_dir() else []
        if not found:
            raise FileNotFoundError(f"nothing in {staged} is called {pattern}")
        for path in found:
            place = target / path.relative_to(staged)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)


def compressed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as file:
        file.write(text.encode())


def changelog(release, revision):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(release.date))
    return (f"gpustream ({revision}) unstable; urgency=medium\n\n"
            f"  * Release {release.version}; changelog.gz lists what changed.\n\n -- {MAINTAINER}  {date}\n")


def described(summary, text):
    """The lines of the field Description."""
    return [f"Description: {summary}", *(f" {line}" if line else " ." for line in text.strip().splitlines())]


def documents(release, name, folder):
    place = folder / "usr/share/doc" / name
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(release.root / "packaging/debian/copyright", place / "copyright")
    compressed(place / "changelog.Debian.gz", changelog(release, release.revision))
    compressed(place / "changelog.gz", (release.root / "CHANGELOG.md").read_text(encoding="utf-8"))


def installed_size(folder):
    """In KiB, as dpkg-gencontrol counts: each file rounded up, one for each folder and link."""
    return sum(1 if path.is_dir() or path.is_symlink() else -(-path.stat().st_size // 1024)
               for path in folder.rglob("*") if "DEBIAN" not in path.parts)


def control(release, name, fields, text, folder):
    lines = {"Package": name, "Source": "gpustream", "Version": release.revision, "Architecture": release.architecture,
             "Maintainer": MAINTAINER, "Installed-Size": installed_size(folder), **fields, "Priority": "optional",
             "Homepage": "https://github.com/gpustream/gpustream"}
    if name == "gpustream":
        del lines["Source"]  # its own
    summary = lines.pop("Description")
    out = [f"{key}: {value}" for key, value in lines.items() if value] + described(summary, text)
    (folder / "DEBIAN").mkdir(exist_ok=True)
    (folder / "DEBIAN/control").write_text(release.fill("\n".join(out)) + "\n", encoding="utf-8")
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink() and "DEBIAN" not in path.parts]
    (folder / "DEBIAN/md5sums").write_text("".join(sums))


def permissions(folder):
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if path.is_symlink():
            continue
        program = path.is_dir() or path.parent.name == "bin"
        path.chmod(0o755 if program else 0o644)
