# SPDX-License-Identifier: Apache-2.0
"""The demonstration, python -m gpustream demo FILE: a checked pipeline over a file, with a picture of how streams overlap.

The package itself does not import it.
"""
from gpustream.demo.pipeline import main

__all__ = ["main"]
