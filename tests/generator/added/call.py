# SPDX-License-Identifier: Apache-2.0
"""Calls the made-up functions of the extension module; the argument is the library with the callback."""
import ctypes
import sys

import gpustream
from gpustream import _core

native = ctypes.CDLL(sys.argv[1])
seen = ctypes.cast(native.made_seen, ctypes.c_void_p).value
weight = {"mode": _core.GS_MADE_DOUBLED, "factor": 0.5}
total, event = _core.gs_made_sum(weight, [3, 4, 5], seen, 0)
assert ctypes.c_int64.in_dll(native, "made_sum_seen").value == 12
assert (total["count"], total["sum"], total["first"][:3]) == (3, 12.0, [3, 4, 5]), total
assert _core.gs_made_doubled_flags(event) == 2 * _core.GS_EVENT_TIMING
values, count = _core.gs_made_squares(20, 3)
assert (list(values), count) == ([0, 1, 4], 5), (values, count)
try:
    _core.gs_made_sum({"mode": 7}, [], 0, 0)
    raise SystemExit("mode 7 was accepted")
except ValueError as error:
    assert "there is no mode 7" in str(error), error
print("Python", gpustream.__version__ + ": 12")
