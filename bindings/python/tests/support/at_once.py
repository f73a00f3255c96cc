# SPDX-License-Identifier: Apache-2.0
"""Threads that do the same thing at once."""
import os
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

FREE = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # of an interpreter without a GIL
THREADS = 8
ROUNDS = int(os.environ.get("GPUSTREAM_TEST_THREAD_ROUNDS", "200"))


def at_once(function, threads=THREADS):
    """The results of function(number), which all threads begin together."""
    barrier = threading.Barrier(threads)

    def run(number):
        barrier.wait()
        return function(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def in_thread(function, *arguments):
    """The result of a function in a thread of its own, or its exception."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


class Theirs:
    """A stream of another library."""

    def __init__(self, number):
        self.number = number

    def __cuda_stream__(self):
        return 0, self.number
