# SPDX-License-Identifier: Apache-2.0
"""numba-cuda's statements for the rows of calls.py."""

SETUP = """
from numba import cuda
stream, other = cuda.stream(), cuda.stream()
event, done = cuda.event(timing=False), cuda.event(timing=False)
start, end = cuda.event(), cuda.event()
for one in (event, done, start, end): one.record(stream)
stream.synchronize()
raw = cuda.stream()
raw = int(getattr(raw.handle, "value", raw.handle))
def reset():
    for one in (stream, other): one.synchronize()
"""

STATEMENTS = {
    "record": "event.record(stream)", "wait, complete event": "done.wait(other)", "wait, same stream": "event.wait(stream)",
    "query, complete event": "done.query()", "synchronize, complete event": "done.synchronize()",
    "synchronize, idle stream": "stream.synchronize()", "synchronize, idle device": "cuda.synchronize()", "elapsed": "start.elapsed_time(end)",
    "event create + drop": "cuda.event(timing=False)", "event with timing, create + drop": "cuda.event()", "stream create + drop": "cuda.stream()",
    "default stream": "cuda.default_stream()", "with device": "with cuda.gpus[0]: pass", "set_device": "cuda.select_device(0)",
    "current device": "cuda.get_current_device().id", "device count": "len(cuda.gpus)", "raw stream": "stream.handle",
    "wrap a raw stream": "cuda.external_stream(raw)", "device name": "cuda.get_current_device().name",
    "device capability": "cuda.get_current_device().compute_capability", "is_available": "cuda.is_available()",
}
