# SPDX-License-Identifier: Apache-2.0
"""cuda.core and cuda.bindings on the driver of `gpustream run --simulate`: streams, events, memory, graphs and kernels."""
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import gpustream

COMMAND = Path(gpustream.__file__).parent / "bin/gpustream"
PROGRAM = '''
import numpy
from cuda.bindings import driver
from cuda.core import Device, EventOptions, LegacyPinnedMemoryResource

def must(result):
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]

device = Device()
device.set_current()
assert "simulated" in device.name
one, two = device.create_stream(), device.create_stream()

# Memory of a pool is filled in one stream, and copied in another behind an event.
pinned = LegacyPinnedMemoryResource()
host = pinned.allocate(1 << 16)
seen = numpy.from_dlpack(host)
seen[:] = 0
buffer = device.memory_resource.allocate(1 << 16, stream=one)
event_options = EventOptions(timing_enabled=True)
start = one.record(options=event_options)
buffer.fill(7, stream=one)
end = one.record(options=event_options)
two.wait(end)
buffer.copy_to(host, stream=two)
two.sync()
assert (seen == 7).all() and end.is_done and end - start >= 0

# A captured graph does the same at each launch.
builder = device.create_graph_builder().begin_building()
called = []
builder.callback(lambda: called.append(seen[0]))
graph = builder.end_building().complete()
for _ in range(3):
    graph.launch(two)
two.sync()
assert called == [7, 7, 7]
buffer.close(two)

# The same by cuda.bindings.
image = b""".version 8.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 words) { ret; }
"""
module = must(driver.cuModuleLoadData(image))
kernel = must(driver.cuModuleGetFunction(module, b"nothing"))
values = numpy.array([0], dtype=numpy.uint64)
arguments = numpy.array([values.ctypes.data], dtype=numpy.uint64)
must(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, int(one.handle), arguments.ctypes.data, 0))
after = one.record()
assert not after.is_done
after.sync()
print("done")
'''

HAS_CUDA_CORE = importlib.util.find_spec("cuda") is not None  # scripts/lib/requirements-python.txt; not for each interpreter


def test_a_program_of_cuda_core():
    if not HAS_CUDA_CORE:
        return
    environment = {name: value for name, value in os.environ.items() if name not in ("GPUSTREAM_LIBCUDA", "GPUSTREAM_BACKEND")}
    ended = subprocess.run([COMMAND, "run", "--simulate", "--kernel-time", "200ms", "--", sys.executable, "-c", PROGRAM], env=environment,
                           capture_output=True, text=True, timeout=100, check=False)
    assert ended.stdout == "done\n" and ended.returncode == 0, ended.stderr
