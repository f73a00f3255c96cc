# SPDX-License-Identifier: Apache-2.0
"""bench/python compares every public call: each has a row or a reason, and each row's statement works."""
import importlib.util
import os
import subprocess
import sys
import types

import gpustream
import pytest
from support.native import ROOT

BENCH = ROOT / "bench/python"
pytestmark = pytest.mark.skipif(not BENCH.is_dir(), reason="no source tree beside the tests")
CLASSES = {"Stream": gpustream.Stream, "Event": gpustream.Event, "StreamContext": gpustream.StreamContext, "device": gpustream.device,
           "device_of": gpustream.device_of, "Device": gpustream.Device, "generic.Stream": gpustream.generic.Stream,
           "generic.Event": gpustream.generic.Event}
OPERATORS = {"__enter__", "__exit__", "__eq__", "__hash__", "__repr__", "__cuda_stream__", "_as_parameter_"}


def load(name):
    sys.path.insert(0, str(BENCH))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCH))


def members(name, kind):
    """What a class offers beyond object; for generic classes what those that derive from them do not have as well."""
    own = {one for base in kind.__mro__[:-1] for one in vars(base) if not one.startswith("_") or one in OPERATORS}
    if name.startswith("generic."):
        own &= {"__repr__", "__enter__", "__exit__"}
    return own


def public_names(package=gpustream, classes=None):
    names = set()
    for name in package.__all__:
        thing = getattr(package, name)
        if isinstance(thing, types.ModuleType) or load("calls").is_exception(thing):
            continue
        names.add(name)
    for name, kind in (CLASSES if classes is None else classes).items():
        names |= {name} | {f"{name}.{one}" for one in members(name, kind)}
    names |= {f"interop.{name}" for name, thing in vars(gpustream.interop).items()
              if isinstance(thing, types.FunctionType) and not name.startswith("_") and name not in ("hook", "event_hook")}
    return names


def without_row(names):
    calls = load("calls")
    covered = {name for covers in calls.ROWS.values() for name in covers}
    unknown = (covered | set(calls.REASONS)) - names
    assert not unknown, f"calls.py names what is not there: {unknown}"
    assert not covered & set(calls.REASONS)
    return names - covered - set(calls.REASONS)


def test_every_public_name_has_a_row():
    assert without_row(public_names()) == set()


def test_a_name_without_a_row_is_found():
    class Added(gpustream.Stream):
        def brand_new(self):
            """Not in the table."""

    classes = {**CLASSES, "Stream": Added}
    assert without_row(public_names(classes=classes)) == {"Stream.brand_new"}


def test_each_row_has_a_statement_that_works():
    peer, rows = load("of_gpustream"), load("calls").ROWS
    assert set(peer.STATEMENTS) == set(rows)
    names = {"CYCLES": 1000}
    exec(peer.SETUP, names)
    names["hold"]()
    for row, statement in peer.STATEMENTS.items():
        try:
            exec(statement, names)
        except (gpustream.NotSupportedError, gpustream.UnavailableError):
            assert row in ("temperature", "power", "clock", "utilization", "memory usage", "free memory", "cuBLAS handle"), row
        names["reset"]()
    for other in ("of_torch", "of_cupy", "of_core", "of_numba"):
        assert set(load(other).STATEMENTS) < set(rows), other
        for statement in load(other).STATEMENTS.values():
            compile(statement, other, "exec")


def test_the_table_is_made_without_any_peer(tmp_path):
    """Also where none of them is installed; what they lack is named."""
    for name in ("torch", "cupy", "cuda", "numba"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not here')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run([sys.executable, BENCH / "run", "--quick", "--out", tmp_path / "out"], capture_output=True, text=True, timeout=100,
                          env=environment)
    failed = [line for line in done.stderr.splitlines() if "no number" in line]
    assert done.returncode == (1 if failed else 0), done.stderr
    table = (tmp_path / "out/bench-python.md").read_text(encoding="utf-8")
    assert "without PyTorch: ImportError: not here" in table and "| record | idle | " in table
    unsupported = ("temperature", "power", "clock", "utilization", "memory usage", "free memory", "cuBLAS handle")
    assert all(any(word in line for word in unsupported) for line in failed), failed
