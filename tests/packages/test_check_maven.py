# SPDX-License-Identifier: Apache-2.0
"""check_maven.py on a small repository that is right, and on ones that are wrong in one way each."""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
PARENT = '<project xmlns="http://maven.apache.org/POM/4.0.0"><name>n</name><description>d</description><url>u</url><licenses/><developers/><scm/></project>'
CHILD = '<project xmlns="http://maven.apache.org/POM/4.0.0"><name>n</name></project>'
MULTI = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n"
NAMED = "Manifest-Version: 1.0\r\nAutomatic-Module-Name: io.gpustream.natives\r\n"
CLASSES = ("META-INF/LICENSE", "module-info.class", "io/gpustream/Stream.class", "META-INF/versions/22/io/gpustream/GraphSegments.class")
SOURCES = ("io/gpustream/Stream.java", "META-INF/versions/22/io/gpustream/GraphSegments.java")
PAGES = ("index.html", "io.gpustream/io/gpustream/Stream.html")
HOME = "io/gpustream"


def elf(machine):
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00" + machine.to_bytes(2, "little")


def jar(names, manifest=MULTI):
    return {"META-INF/MANIFEST.MF": manifest.encode(), **{name: b"" for name in names}}


def natives(processor, machine, manifest=NAMED):
    folder = f"META-INF/gpustream/linux-{processor}"
    return jar((), manifest) | {f"{folder}/{name}": elf(machine) for name in ("libgpustream.so.0", "libgpustream_tools.so.0", "libgpustreamjni.so")}


def good():
    return {
        f"{HOME}/gpustream-parent/1.2.3/gpustream-parent-1.2.3.pom": PARENT,
        f"{HOME}/gpustream/1.2.3/gpustream-1.2.3.pom": CHILD,
        f"{HOME}/gpustream-natives/1.2.3/gpustream-natives-1.2.3.pom": CHILD,
        f"{HOME}/gpustream/1.2.3/gpustream-1.2.3.jar": jar(CLASSES),
        f"{HOME}/gpustream/1.2.3/gpustream-1.2.3-sources.jar": jar(SOURCES),
        f"{HOME}/gpustream/1.2.3/gpustream-1.2.3-javadoc.jar": jar(PAGES),
        **{f"{HOME}/gpustream-natives/1.2.3/gpustream-natives-1.2.3{rest}.jar": jar(()) for rest in ("", "-sources", "-javadoc")},
        f"{HOME}/gpustream-natives/1.2.3/gpustream-natives-1.2.3-linux-x86_64.jar": natives("x86_64", 62),
        f"{HOME}/gpustream-natives/1.2.3/gpustream-natives-1.2.3-linux-aarch64.jar": natives("aarch64", 183),
    }


def check(content, break_sums=""):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, what in content.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(what, str):
                path.write_text(what)
            else:
                with zipfile.ZipFile(path, "w") as archive:
                    for member, data in what.items():
                        archive.writestr(member, data)
            for kind in ("md5", "sha1", "sha256", "sha512"):
                path.with_name(f"{path.name}.{kind}").write_text(hashlib.new(kind, path.read_bytes()).hexdigest() + break_sums)
        done = subprocess.run([sys.executable, HERE / "check_maven.py", root, "1.2.3", "x86_64", "aarch64"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def with_change(part, what):
    content = good()
    name = next(each for each in content if part in each)
    if what is None:
        del content[name]
    else:
        content[name] = what
    return content


CASES = [
    ("right", good(), "", None),
    ("a POM without licence", with_change("parent", PARENT.replace("<licenses/>", "")), "", "no <licenses>"),
    ("no sources", with_change("gpustream-1.2.3-sources", None), "", "-sources.jar is missing"),
    ("no module", with_change("gpustream-1.2.3.jar", jar([name for name in CLASSES if "module" not in name])), "", "no module-info.class"),
    ("one release only", with_change("gpustream-1.2.3.jar", jar(CLASSES, NAMED)), "", "not a multi-release archive"),
    ("no sources of the natives", with_change("natives-1.2.3-sources", None), "", "gpustream-natives-1.2.3-sources.jar is missing"),
    ("no aarch64", with_change("aarch64", None), "", "linux-aarch64.jar is missing"),
    ("another processor", with_change("aarch64", natives("aarch64", 62)), "", "is not for aarch64"),
    ("both in one", with_change("x86_64", natives("x86_64", 62) | natives("aarch64", 183)), "", "libraries for another processor"),
    ("no module name", with_change("x86_64", natives("x86_64", 62, MULTI)), "", "no module name"),
    ("wrong sums", good(), "0", "is missing or wrong"),
]


def main():
    failed = 0
    for name, content, sums, wanted in CASES:
        status, output = check(content, sums)
        if (status == 0) != (wanted is None) or (wanted and wanted not in output):
            print(f"{name}: exit status {status}\n{output}")
            failed += 1
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
