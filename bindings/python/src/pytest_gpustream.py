# SPDX-License-Identifier: Apache-2.0
"""pytest --gpustream-shake: each test runs by itself under `gpustream shake`, which delays work of the device to find missing waits.

A module of its own: pytest loads it in each run, and the package only with the option.
"""
from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Literal

import pytest

# Set for the inner pytest: the only test that it runs.
_SHAKEN = "PYTEST_GPUSTREAM_SHAKEN"
_PASSED, _RACE, _PLAIN_FAILS, _NOTHING_SEEN = 0, 1, 2, 4


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gpustream")
    group.addoption("--gpustream-shake", action="store_true", help="run each test under `gpustream shake`, to find waits that are missing")
    group.addoption("--gpustream-shake-runs", type=int, default=20, metavar="N", help="with delays, of each test (20)")


def pytest_configure(config: pytest.Config) -> None:
    shaken = os.environ.get(_SHAKEN)
    if shaken:
        config.args = [shaken]
    elif config.getoption("gpustream_shake"):
        if config.getoption("numprocesses", None):
            raise pytest.UsageError("--gpustream-shake does not go with -n: tests at the same time delay each other")
        config.pluginmanager.register(_Shaker(config))


class _Shaker:
    def __init__(self, config: pytest.Config) -> None:
        self.options = config.invocation_params
        self.runs = config.getoption("gpustream_shake_runs")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        began = time.time()
        outcome, text = self.shake(item)
        took = time.time() - began
        for when in ("setup", "call", "teardown"):
            is_call = when == "call"
            report = pytest.TestReport(item.nodeid, item.location, dict.fromkeys(item.keywords, 1), outcome if is_call else "passed",
                                       text if is_call else None, when, duration=took if is_call else 0, start=began, stop=began + took)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def shake(self, item: pytest.Item) -> tuple[Literal["passed", "failed", "skipped"], str | tuple[str, int, str] | None]:
        """The outcome of a test, and what pytest shows for it: the same command line, for this test alone."""
        program = [sys.executable, "-m", "pytest", *self.options.args]
        command = [sys.executable, "-m", "gpustream._command", "shake", "--runs", str(self.runs), "--", *program]
        done = subprocess.run(command, cwd=self.options.dir, env={**os.environ, _SHAKEN: f"{item.config.rootpath}/{item.nodeid}"},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode == _PASSED:
            return "passed", None
        if done.returncode == _NOTHING_SEEN:
            return "skipped", (str(item.path), (item.location[1] or 0) + 1, "passed, not shaken: " + done.stderr.rpartition("gpustream shake: ")[2].strip())
        if done.returncode == _RACE:  # the plain run wrote ahead of it
            return "failed", "".join(done.stdout.rpartition("gpustream shake: ")[1:])
        return "failed", done.stdout + done.stderr
