# SPDX-License-Identifier: Apache-2.0
"""The behaviour that all languages agree on (tests/parity): each case in a process of its own, on the host backend."""
import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import gpustream
import pytest
from support import native, signatures
from support.refusals import raises

PARITY = native.ROOT / "tests/parity"
RUNNER = Path(__file__).parent / "support/run_case.py"
CASES = {name: json.loads((PARITY / name).read_text(encoding="utf-8"))["cases"] for name in ("cases.json", "wrong_cases.json")}
through_package = set()


def run(file, name):
    native.path()
    return subprocess.run([sys.executable, str(RUNNER), str(PARITY / file), name], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GPUSTREAM_BACKEND": "host", "GPUSTREAM_HOST_DEVICES": "2"})


@pytest.mark.parametrize("name", [case["name"] for case in CASES["cases.json"]])
def test_case(name):
    done = run("cases.json", name)
    assert done.returncode == 0, done.stdout + done.stderr
    through_package.update(json.loads(done.stdout)["package"])


@pytest.mark.parametrize("case", CASES["wrong_cases.json"], ids=lambda case: case["name"])
def test_wrong_case_fails_for_its_reason(case):
    done = run("wrong_cases.json", case["name"])
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(case["fails_with"], done.stderr), done.stderr


def test_most_functions_went_through_the_package():
    """The others have no case, or are about reference counts and function pointers: ctypes calls those."""
    if len(through_package) == 0:
        pytest.fail("run this together with test_case")
    assert len(through_package) > 60, sorted(through_package)


# ---- api/ ------------------------------------------------------------------------------------
API = {entry["name"]: entry for entry in json.loads((native.ROOT / "api/gpustream.json").read_text(encoding="utf-8"))["functions"]}


def lookup(name):
    """The object a listed name means. "Stream(stream_id=)" is a call form; "cudart().x" an attribute of a result; "stream."
    stands for any stream."""
    if name.startswith("cudart()."):
        return getattr(gpustream.cudart(), name.removeprefix("cudart()."))
    call = re.fullmatch(r"(\w+)\((.*)\)", name)
    if call:
        kind = getattr(gpustream, call.group(1))
        for keyword in re.findall(r"(\w+)=", call.group(2)):
            assert keyword in kind.__doc__, keyword
        return kind
    found = gpustream
    for part in name.split("."):
        found = getattr(found, "Stream" if found is gpustream and part == "stream" else part)
    return found


@pytest.mark.parametrize("function", API)
def test_listed_name_exists(function):
    name = API[function]["names"]["python"]
    if name.startswith("omitted: "):
        assert len(name) > len("omitted: ") + 10
    else:
        assert all(lookup(one) is not None for one in re.split(r", (?![^(]*\))", name))


def test_a_name_that_is_missing_is_found_out():
    for wrong in ("no_such_name", "Stream.no_such_method", "cudart().none", "Stream(nothing=)"):
        raises((AttributeError, AssertionError), lookup, wrong)


def test_the_extension_has_every_function():
    """Set equality with the header, less what objects do by living and ending."""
    python = (native.ROOT / "bindings/swig/python.i").read_text(encoding="utf-8")
    ignored = set(re.findall(r"^%ignore (gs_\w+);", python, re.M))
    assert {name for name in dir(gpustream._core) if name.startswith("gs_")} == set(signatures.functions()) - ignored
    source = "".join(p.read_text(encoding="utf-8") for p in (native.ROOT / "bindings/python/native").glob("*.c"))
    by_hand = {name for name in signatures.functions() if re.search(rf"\b{name}\(", source)}
    assert ignored <= by_hand | {"gs_event_retain"}


def test_a_function_pointer_is_an_address():
    """What has no idiomatic form yet can be called all the same."""
    seen = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32)
    notify = kind(lambda argument, status: seen.append((argument, status)))
    stream = gpustream.Stream()
    gpustream._core.gs_stream_notify(stream, ctypes.cast(notify, ctypes.c_void_p).value, 77)
    stream.synchronize()
    while not seen:
        pass
    assert seen == [(77, 0)]


def test_functions_that_wait_give_up_the_gil():
    """In the generated wrappers by the header's cost; in the methods written in C by their own macros."""
    assert signatures.calls_that_release_the_gil("GS_RELEASES_GIL") == {
        name for name, one in signatures.functions().items() if one.cost in ("wait", "inventory")}
    assert {name for name, one in signatures.functions().items() if one.cost == "wait"} == {
        one["name"] for one in signatures.description()["functions"] if one["blocking"] != "no"}
    source = "".join(path.read_text(encoding="utf-8") for path in (native.ROOT / "bindings/python/native").glob("*.c"))
    assert re.search(r"Py_BEGIN_ALLOW_THREADS;\s+status = gs_stream_create\(", source)
    assert len(re.findall(r"GS_PY_BLOCKING\(.*kind->wait\(", source)) == 4
    assert source.count("kind->wait(") == 5  # the one of spin_a_little()
    for name in ("gs_stream_synchronize", "gs_event_synchronize", "gs_device_synchronize"):
        assert re.search(rf"static gs_status_t wait_for\(uintptr_t \w+, int64_t timeout_ns\) {{\s+return timeout_ns < 0 \? {name}\(.*\s+: {name}_for\(", source)
    for name, one in signatures.functions().items():
        if one.cost == "queue" and re.search(rf"= {name}\(", source):
            assert re.search(rf"GS_PY_DRIVER\(status = {name}\(", source), name


def test_all_is_right():
    assert len(set(gpustream.__all__)) == len(gpustream.__all__) and set(gpustream.errors.__all__) < set(gpustream.__all__)
    for name in gpustream.__all__:
        assert getattr(gpustream, name) is not None
