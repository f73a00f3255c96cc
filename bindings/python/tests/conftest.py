# SPDX-License-Identifier: Apache-2.0
"""What the tests share.

The default backend is chosen once per process, so one run of pytest tests one backend:
    GPUSTREAM_BACKEND=host pytest
    GPUSTREAM_BACKEND=cuda GPUSTREAM_LIBCUDA=<fake libcuda.so.1> pytest
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("GPUSTREAM_BACKEND", "host")
os.environ.setdefault("GPUSTREAM_HOST_DEVICES", "2")

import gpustream  # noqa: E402

from support import native  # noqa: E402
from support.pinned import Pinned  # noqa: E402


def pytest_report_header(config):
    return (f"gpustream {gpustream.__version__} from {Path(gpustream.__file__).parent}, "
            f"CPython {sys.version.split()[0]}, backend {gpustream.Device('cuda').type}")


def is_left_out(item):
    """Whether a test is for the other backend or was not asked for: it is deselected, as a skip would report a gap."""
    variable = item.get_closest_marker("needs_variable")
    other_backend = item.get_closest_marker("host_only") and gpustream.Device("cuda").type != "host"
    return other_backend or (variable and not os.environ.get(variable.args[0]))


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def clean_state():
    """Each test leaves the thread and the process as it found them."""
    yield
    gpustream._set_sync_debug_scope(0)
    if gpustream.is_initialized():
        gpustream.set_sync_debug_mode(0)
        gpustream.set_device(0)
        for index in range(gpustream.device_count()):
            gpustream.set_stream(gpustream.default_stream(index))
        gpustream.set_device(0)


@pytest.fixture(autouse=True)
def no_unraisable(monkeypatch):
    """What would only be printed fails the test, unless it asks for the list."""
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    yield seen
    assert not seen, [item.exc_value for item in seen]


@pytest.fixture
def frequent_switches():
    """Threads take turns as often as an interpreter with a GIL can let them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def gate():
    """Holds streams: gate(stream, ...) from now on, gate.hold(stream) later, until gate.open()."""
    gates = []

    def make(*streams):
        gates.append(native.Gate())
        for stream in streams:
            gates[-1].hold(stream)
        return gates[-1]

    yield make
    for one in gates:
        one.open()
    for index in range(gpustream.device_count()):
        gpustream.synchronize(index)


@pytest.fixture
def memory():
    """Makes memory that devices and the test read and write: memory(size)."""
    made = []

    def make(size=64):
        made.append(Pinned(size))
        return made[-1]

    yield make
    gpustream.synchronize()
    for one in made:
        one.free()


@pytest.fixture
def reports():
    """What the ordering checker reports: pairs of the text and its parts."""
    found = []
    gpustream.check.set_callback(lambda text, report: found.append((text, report)))
    gpustream.check.start()
    yield found
    gpustream.check.stop()
    gpustream.check.set_callback(None)


@pytest.fixture
def run_python():
    """Runs code in a fresh interpreter; gives its output, and fails on a crash, a hang or a wrong exit status."""

    def run(code, *arguments, status=0, timeout=60, **environment):
        # Since Python 3.12 a fork beside other threads warns, and the library's threads are such.
        quiet = ["-W", "ignore:This process:DeprecationWarning"] if "fork()" in code else []
        done = subprocess.run([sys.executable, "-X", "faulthandler", *quiet, "-c", code, *arguments], capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment})
        assert done.returncode == status, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    return run


def pytest_configure(config):
    config.addinivalue_line("markers", "host_only: of the host backend; left out of a run on another one")
    config.addinivalue_line("markers", "needs_variable(name): left out unless the environment has the variable")
    if not shutil.which("cc") and "GPUSTREAM_TEST_NATIVE" not in os.environ:
        raise pytest.UsageError("the tests need a C compiler, or GPUSTREAM_TEST_NATIVE")


def stand_in(name):
    """The path of a stand-in of tests/support: the fake driver (CUDA), the fake NVML, or a tool that hears ranges (NVTX)."""
    path = os.environ.get(f"GPUSTREAM_TEST_FAKE_{name}")
    if not path:
        pytest.fail(f"GPUSTREAM_TEST_FAKE_{name} does not name tests/support/fake_{name.lower()}")
    return path


def fakes():
    """The environment in which the fake driver and the fake NVML report the same two GPUs."""
    return {"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": stand_in("CUDA"), "GPUSTREAM_LIBNVML": stand_in("NVML")}


pytest.fake_cuda = lambda: stand_in("CUDA")
pytest.fake_nvtx = lambda: stand_in("NVTX")
pytest.fakes = fakes
