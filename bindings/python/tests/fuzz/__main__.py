# SPDX-License-Identifier: Apache-2.0
"""Runs programs of random calls: python -m fuzz EXAMPLES SEED PROGRESS [PLANT]. SEED 0: the same programs each time.

A call returns or raises an ordinary exception; one that fails leaves the current device and streams as they were; a with block
too; nothing is printed from a deallocator; no object has more references when the program has ended. PROGRESS is a file that
holds the program in progress, for the report of a crash. PLANT adds a wrong callable that must be found (plants.py).
"""
import faulthandler
import os
import resource
import sys
import warnings

import hypothesis
from hypothesis import strategies as st

from . import plants, programs, targets, values


MOST_MEMORY = 4 << 30  # bytes


def strategy(every):
    def call(target):
        likely = [st.sampled_from(found) if (found := targets.likely(name)) else values.values for name in target.names[:6]]
        fitting = st.tuples(*(st.one_of(one, one, values.values) for one in likely)) if likely else st.just(())
        wild = st.lists(values.values, max_size=3).map(tuple)
        words = st.dictionaries(st.sampled_from(target.names or ["device", "stream"]), values.values, max_size=2)
        return st.tuples(st.just(target), st.one_of(fitting, fitting, wild), st.one_of(st.just({}), st.just({}), words))

    return st.lists(st.sampled_from(every).flatmap(call), min_size=1, max_size=5)


def main():
    examples, seed, progress, plant = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    # With -X dev Python fills memory that it hands out: of arrays with 2^31 elements 16 GiB at a time.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    faulthandler.dump_traceback_later(1700 if examples > 5000 else 300, exit=True)
    warnings.simplefilter("ignore")  # sync debug mode "warn" is one of the things that programs turn on
    pool = programs.Pool()
    every = targets.all_targets(pool)
    if plant:
        every += [plants.target(plant[0], pool)] * len(every)  # rare ones would take long to make smaller
    runner = programs.Runner(pool, os.open(progress, os.O_RDWR | os.O_CREAT | os.O_TRUNC))

    @hypothesis.settings(max_examples=examples, deadline=None, database=None, derandomize=seed == 0, print_blob=False,
                         suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink])
    @hypothesis.given(strategy(every))
    def run(program):
        runner.run(program)

    (run if seed == 0 else hypothesis.seed(seed)(run))()
    print(f"{len(every)} targets, {runner.calls} calls, {runner.returned} returned, {len(runner.reached)} targets returned")


if __name__ == "__main__":
    main()
