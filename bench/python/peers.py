# SPDX-License-Identifier: Apache-2.0
"""The libraries that are compared. A missing one has no statements; what a release of one lacks has no number.

Each statement is timed as it stands, in a loop of Python. `reset` runs between the repetitions, untimed.
"""
import importlib

import of_core
import of_cupy
import of_gpustream
import of_numba
import of_torch


class Peer:
    def __init__(self, name, label, colour, source):
        self.name, self.label, self.colour, self.statements = name, label, colour, source.STATEMENTS
        self.setup = source.SETUP
        self.names = {}
        self.missing = "not loaded"

    def load(self):
        try:
            exec(self.setup, self.names)  # the text of a file beside this one
            self.missing = None
        except Exception as error:  # whatever another library meets is a reason to go on without it, and printed
            self.missing = f"{type(error).__name__}: {error}"


GPUSTREAM = Peer("gpustream", "gpustream", "#0b7a75", of_gpustream)
ALL = [GPUSTREAM, Peer("torch", "PyTorch", "#c0392b", of_torch), Peer("cupy", "CuPy", "#b8860b", of_cupy),
       Peer("core", "cuda.core", "#6a51a3", of_core), Peer("numba", "numba-cuda", "#2b6cb0", of_numba)]


def package_version(name):
    module = {"core": "cuda.core", "numba": "numba_cuda"}.get(name, name)
    try:
        return importlib.import_module(module).__version__
    except (ImportError, AttributeError):
        return "unknown version"
