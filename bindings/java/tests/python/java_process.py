# SPDX-License-Identifier: Apache-2.0
"""Runs programs with both Python and Java in one process.

Wants `mvn verify` done before; GPUSTREAM_JAVA_BUILD names bindings/java of CMake's build. Each program is a process of its
own, since a process starts one virtual machine.
"""
import os
import subprocess
import sys
from pathlib import Path

JAVA = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GPUSTREAM_JAVA_BUILD", JAVA.parents[1] / "build/release/bindings/java"))
PROPERTIES = dict(
    line.split("=", 1) for line in (BUILD / "build.properties").read_text().splitlines() if not line.startswith("#")
)
CORE = Path(PROPERTIES["gpustream.binary"]) / "libgpustream.so.0"
FAKE_CUDA = Path(PROPERTIES["gpustream.binary"]) / "tests/support/fake_cuda/driver/libcuda.so.1"

# The beginning of every program. sys.argv: layer, libjvm.so, class path, cache, and the test's own.
PROLOGUE = """
import ctypes, os, sys
import jpype

layer, jvm, class_path, cache, *arguments = sys.argv[1:]

def start_java():
    options = [f"-Dgpustream.layer={layer}", f"-Dgpustream.cache.dir={cache}", "-Xmx64m",
               "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"]
    jpype.startJVM(jvm, *options, classpath=class_path.split(":"))
    gpustream = jpype.JPackage("io").gpustream
    assert gpustream.Library.layer() == layer
    return gpustream

def ok(status):
    assert status == 0, status
"""


def jvm_of(home):
    found = sorted(Path(home).glob("lib/server/libjvm.so"))
    assert found, f"no libjvm.so in {home}"
    return str(found[0])


def class_path():
    version = PROPERTIES["gpustream.header.version"]
    archives = [
        JAVA / f"gpustream/target/gpustream-{version}.jar",
        JAVA / f"natives/target/gpustream-natives-{version}-linux-x86_64.jar",
    ]
    for archive in archives:
        assert archive.exists(), f"{archive} is missing: run mvn verify in {JAVA}"
    return ":".join(map(str, archives))


def layers():
    """(layer, JDK) as parameters."""
    found = [("jni", PROPERTIES["jdk.base"])]
    if PROPERTIES["ffm.skip"] == "false":
        found.append(("ffm", PROPERTIES["jdk.newest"]))
    return found


def run(program, layer, home, cache, *arguments, **environment):
    """Runs PROLOGUE and the program; its standard output must end with "well". Returns its standard error."""
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + program, layer, jvm_of(home), class_path(), str(cache), *map(str, arguments)],
        env={**os.environ, "GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2", **environment},
        timeout=120,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith("well"), done.stdout + done.stderr
    return done.stderr
