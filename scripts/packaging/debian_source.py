# SPDX-License-Identifier: Apache-2.0
"""Makes the source package that Debian builds from: gpustream_VERSION+ds-1.dsc with its two archives.

usage: debian_source.py --root ROOT --version VERSION --date SECONDS --out FOLDER

The tree is that of the commit without the compiled kernels and damaged files of tests, for which Debian wants a source. The folder debian/ is written from packaging/debian, so that the packages have the names, files and texts
of those that debian.py makes. The headers of CUDA are not free, so the source belongs to contrib.
"""
import argparse
import pathlib
import subprocess
import tarfile
import tempfile
import tomllib

from debian import nodes, symbols
from debian_tree import MAINTAINER, Release, changelog, described

SOURCE = f"""Source: gpustream
Section: contrib/libs
Priority: optional
Maintainer: {MAINTAINER}
Build-Depends: cmake (>= 3.25), debhelper-compat (= 13), g++ (>= 4:12), ninja-build, nvidia-cuda-dev
Standards-Version: 4.6.2
Homepage: https://github.com/gpustream/gpustream
Vcs-Browser: https://github.com/gpustream/gpustream
Vcs-Git: https://github.com/gpustream/gpustream.git
Rules-Requires-Root: no
"""
RULES = """#!/usr/bin/make -f
export DEB_BUILD_MAINT_OPTIONS = hardening=+all

%:
\tdh $@ --buildsystem=cmake+ninja

# The tests need a GoogleTest and most of an hour: scripts/test runs them.
override_dh_auto_configure:
\tdh_auto_configure -- -DCMAKE_SKIP_INSTALL_RPATH=ON

override_dh_auto_test:

# The command alone loads the drivers in the folder gpustream.
override_dh_makeshlibs:
\tdh_makeshlibs -X/gpustream/
"""
OVERRIDES = """# The library loads its tools by their versioned name, and no program links them.
libgpustream0: lacks-unversioned-link-to-shared-library
"""
LEFT_OUT = ("tests/fuzz/corpus", "tests/support/images")
INSTEAD = {"libc6 (>= 2.17)": "${shlibs:Depends}", "libgpustream0 (= @VERSION@)": "libgpustream0 (= ${binary:Version})",
           "libc6 (>= 2.17), libgpustream0 (>= @VERSION@)": "${shlibs:Depends}, libgpustream0 (>= ${source:Upstream-Version})"}


def stanza(name, package):
    section = f"contrib/{package['section']}"
    fields = {"Package": name, "Section": section, "Architecture": "amd64 arm64", "Multi-Arch": package["multi-arch"],
              "Depends": INSTEAD[package["depends"]] + ", ${misc:Depends}", "Suggests": package.get("suggests")}
    return "\n".join([f"{key}: {value}" for key, value in fields.items() if value] + described(package["summary"], package["text"])) + "\n"


def all_symbols(release):
    """With the symbol that Debian's linker makes of each version node, and those of the tools."""
    of_nodes = "".join(f" {node}@{node} {node.removeprefix('GPUSTREAM_')}\n" for node in nodes(release))
    tools = f"libgpustream_tools.so.0 libgpustream0 #MINVER#\n gs_tools_attach@Base {release.version}\n gs_tools_build_id@Base {release.version}\n"
    return symbols(release) + of_nodes + tools


def write_folder(release, folder):
    packages = tomllib.loads((release.root / "packaging/debian/packages.toml").read_text(encoding="utf-8"))
    copyright_text = (release.root / "packaging/debian/copyright").read_text(encoding="utf-8")
    copyright_text = copyright_text.replace("\n\n", f"\nFiles-Excluded: {' '.join(LEFT_OUT)}\n\n", 1)
    texts = {
        "changelog": changelog(release, f"{release.version}+ds-1"),
        "control": "\n".join([SOURCE, *(stanza(name, package) for name, package in packages.items())]),
        # The other stanzas are about runtime libraries that only the project's own packages contain.
        "copyright": "\n\n".join(part for part in copyright_text.split("\n\n") if "LLVM" not in part and not part.startswith(" ")).rstrip() + "\n",
        "gpustream.1": (release.root / "packaging/debian/gpustream.1").read_text(encoding="utf-8").replace("@VERSION@", release.version),
        "gpustream.manpages": "debian/gpustream.1\n",
        "libgpustream0.lintian-overrides": OVERRIDES,
        "libgpustream0.symbols": all_symbols(release),
        "rules": RULES,
        "source/format": "3.0 (quilt)\n",
    }
    for name, package in packages.items():
        texts[f"{name}.install"] = "".join(f"{pattern.replace('@MULTIARCH@', '*')}\n" for pattern in package["files"])
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "rules").chmod(0o755)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("root", "out"):
        parser.add_argument(f"--{option}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", type=int, required=True)
    arguments = parser.parse_args()
    release = Release(arguments.root, arguments.version, "x86_64", arguments.date)
    name = f"gpustream-{release.version}+ds"
    archive = arguments.out.resolve() / f"gpustream_{release.version}+ds.orig.tar.gz"
    what = [".", *(f":(exclude){path}" for path in LEFT_OUT)]
    with open(archive, "wb") as file:
        tree = subprocess.Popen(["git", "-C", release.root, "archive", "--format=tar", f"--prefix={name}/", "HEAD", *what], stdout=subprocess.PIPE)
        subprocess.run(["gzip", "-9n"], stdin=tree.stdout, stdout=file, check=True)
        if tree.wait() != 0:
            raise SystemExit("no archive of the commit")
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(archive) as tar:
            tar.extractall(temporary, filter="tar")
        write_folder(release, pathlib.Path(temporary) / name / "debian")
        subprocess.run(["dpkg-source", "-b", pathlib.Path(temporary) / name], cwd=arguments.out, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
