# SPDX-License-Identifier: Apache-2.0
"""Python and Java in one process (JPype) share one library and one current stream.

Wants `mvn verify` done before; GPUSTREAM_JAVA_BUILD names bindings/java of CMake's build. Each test runs in a process of
its own, since a process starts one virtual machine.
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

JAVA = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GPUSTREAM_JAVA_BUILD", JAVA.parents[1] / "build/release/bindings/java"))
PROPERTIES = dict(
    line.split("=", 1) for line in (BUILD / "build.properties").read_text().splitlines() if not line.startswith("#")
)

PROGRAM = """
import ctypes, os, sys
import jpype

layer, jvm, class_path, core, cache, first = sys.argv[1:]

def load_core():
    library = ctypes.CDLL("libgpustream.so.0" if first == "java" else core)
    handle = ctypes.c_void_p
    library.gs_push_current_stream.argtypes = [handle, ctypes.POINTER(ctypes.c_uint64)]
    library.gs_pop_current_stream.argtypes = [ctypes.c_uint64]
    library.gs_stream_destroy.argtypes = [handle]
    library.gs_stream_id.argtypes = [handle, ctypes.POINTER(ctypes.c_int64)]
    return library

def start_java():
    options = [f"-Dgpustream.layer={layer}", f"-Dgpustream.cache.dir={cache}", "-Xmx64m",
               "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"]
    jpype.startJVM(jvm, *options, classpath=class_path.split(":"))
    gpustream = jpype.JPackage("io").gpustream
    assert gpustream.GpuStream.layer() == layer
    return gpustream

if first == "java":
    java = start_java()
    java.GpuStream.version()
    core_library = load_core()
else:
    core_library = load_core()
    java = start_java()

def ok(status):
    assert status == 0, status

# Python makes a stream current, Java sees it.
stream, scope, number = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int64()
ok(core_library.gs_stream_create(1, 0, 0, ctypes.byref(stream)))
ok(core_library.gs_push_current_stream(stream, ctypes.byref(scope)))
ok(core_library.gs_stream_id(stream, ctypes.byref(number)))
assert java.Stream.current().id() == number.value
assert java.Device.current().ordinal() == 1
ok(core_library.gs_pop_current_stream(scope))
assert java.Stream.current().equals(java.Stream.defaultStream())

# Java makes one current, Python sees it.
mine = java.Stream.create()
opened = mine.scope()
current = ctypes.c_void_p()
ok(core_library.gs_current_stream(-1, ctypes.byref(current)))
ok(core_library.gs_stream_id(current, ctypes.byref(number)))
assert number.value == mine.id()
opened.close()

# A function of Python's, called through Java from the library's thread.
import threading
ran = threading.Event()

@jpype.JImplements("java.lang.Runnable")
class Function:
    @jpype.JOverride
    def run(self):
        ran.set()

mine.launchHost(Function())
assert ran.wait(60)
mine.close()
ok(core_library.gs_stream_destroy(stream))
assert java.GpuStream.instanceCount() == 1
copies = {line.split()[-1] for line in open("/proc/self/maps") if "libgpustream.so" in line}
assert len(copies) == 1, copies
print("one state")
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
    yield "jni", PROPERTIES["jdk.base"]
    if PROPERTIES["ffm.skip"] == "false":
        yield "ffm", PROPERTIES["jdk.newest"]


@pytest.mark.parametrize("first", ["python", "java"])
@pytest.mark.parametrize("layer, home", list(layers()))
def test_python_and_java_share_one_state(layer, home, first, tmp_path):
    core = Path(PROPERTIES["gpustream.binary"]) / "libgpustream.so.0"
    arguments = [layer, jvm_of(home), class_path(), str(core), str(tmp_path), first]
    environment = {**os.environ, "GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=environment, timeout=120, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith("one state")
