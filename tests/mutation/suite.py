# SPDX-License-Identifier: Apache-2.0
"""Runs single test cases, each in a process of its own, and puts them in the order that finds mutants soonest."""
import os
import resource
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass

from programs import cases_of

GIB = 1 << 30


@dataclass(frozen=True)
class Case:
    name: str
    target: str
    arguments: tuple
    environment: tuple

    @classmethod
    def all_of(cls, base):
        return [cls(name, target, tuple(arguments), tuple(sorted(environment.items())))
                for target in base.targets for name, arguments, environment in cases_of(target, base.program(target), base.build)]


def limit_children():
    """A mutant may allocate or write without end. These limits of all child processes are far above what a test needs. And what a
    shell has put in the background ignores two signals, which tests send to their children."""
    for ignored in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(ignored) == signal.SIG_IGN:
            signal.signal(ignored, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (4 * GIB, 4 * GIB))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))


def run_case(case, program, seconds, own_environment=()):
    """"passed", "failed", "signal N" or "timeout"."""
    environment = {**os.environ, **dict(case.environment), **dict(own_environment)}
    environment.pop("GPUSTREAM_TEST_FULL", None)
    child = subprocess.Popen([str(program), *case.arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        code = child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        code = None
    try:  # with what it has started
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    if code is None:
        return "timeout"
    return "passed" if code == 0 else f"signal {-code}" if code < 0 else "failed"


class Order:
    """The cases in the order of their programs, which are linked when they are needed; within a program the short ones first,
    and before all those that killed another mutant of the file or of the tree."""

    def __init__(self, cases, seconds):
        self.cases, self.seconds = cases, seconds
        self.programs = list(dict.fromkeys(case.target for case in cases))
        self.kills = Counter()

    def limit(self, case):
        return max(10.0, 8 * self.seconds[case.name])

    def killed(self, file, case):
        self.kills[file, case.name] += 1
        self.kills["", case.name] += 1

    def __call__(self, file):
        return sorted(self.cases, key=lambda case: (
            self.programs.index(case.target), -self.kills[file, case.name], -self.kills["", case.name], self.seconds[case.name]))


def measure(base, cases, pool_map):
    """Runs the cases on the unchanged build; returns their seconds, and those that fail there: they cannot judge a mutant."""
    def one(case):
        begin = time.monotonic()
        return case, run_case(case, base.program(case.target), 300), time.monotonic() - begin

    results = list(pool_map(one, cases))
    # Once more alone, for those that disturb each other.
    results = [result if result[1] == "passed" else one(result[0]) for result in results]
    failed = [f"{case.name}: {outcome}" for case, outcome, _ in results if outcome != "passed"]
    seconds = {case.name: round(taken, 3) for case, outcome, taken in results if outcome == "passed"}
    return seconds, failed
