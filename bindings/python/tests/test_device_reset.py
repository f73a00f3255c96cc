# SPDX-License-Identifier: Apache-2.0
"""reset_device(): each in a process of its own, as a device does not come back."""
import gpustream
from support.refusals import raises

START = """
import gpustream

def lost(call, *arguments):
    try:
        call(*arguments)
    except gpustream.ContextLostError as error:
        assert error.sticky and "eset" in error.origin, (error.sticky, error.origin)
        return True
    return False
"""


def test_everything_is_told(run_python):
    out = run_python(START + """
stream, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
event.record(stream)
other.synchronize()
buffer = gpustream.Buffer(64, stream=stream)
gpustream.reset_device(0)
assert lost(stream.query) and lost(stream.synchronize) and lost(event.record, stream) and lost(gpustream.Stream, 0)
assert lost(gpustream.synchronize, 0) and lost(gpustream.reset_device, 0) and lost(gpustream.default_stream(0).query)
assert other.query() and gpustream.get_device_name(0)
repr(stream), hash(stream), stream == other
del buffer
stream.close()
with gpustream.device(1):
    gpustream.Stream().synchronize()
print("told")
""")
    assert out.strip() == "told", out


def test_pinned_memory(run_python):
    """What was allocated ends with the device, what was registered is its owner's; the host backend's is ordinary memory."""
    out = run_python(START + """
import ctypes
runtime, memory = gpustream.cudart(), ctypes.create_string_buffer(4096)
address, pinned = ctypes.addressof(memory), gpustream._malloc_host(64)
gpustream.check_error(runtime.cudaHostRegister(address, 4096, 0))
gpustream.reset_device(0)
assert lost(gpustream._malloc_host, 64)
gpustream._free_host(pinned)
try:
    gpustream._free_host(pinned)
except gpustream.InvalidArgumentError:
    print("freed once")
if gpustream.Device("cuda").type == "cuda":
    assert lost(runtime.cudaHostUnregister, address) and lost(runtime.cudaHostRegister, address, 4096, 0)
else:
    assert runtime.cudaHostUnregister(address) == 0
memory[0] = b"x"
with gpustream.device(1):
    gpustream._free_host(gpustream._malloc_host(64))
print("told")
""")
    assert out.split() == ["freed", "once", "told"], out


def test_refusals(run_python):
    raises(gpustream.InvalidDeviceError, gpustream.reset_device, 4000)
    for wrong in (0.5, b"0", [0], "nonsense:0", "0x0", 1 << 70, gpustream.Event()):
        caught = raises((TypeError, ValueError, OverflowError, RuntimeError), gpustream.reset_device, wrong)
        assert not isinstance(caught, gpustream.ContextLostError), wrong
    gpustream._device_check(0)
    out = run_python(START + """
stream = gpustream.Stream(0)
graph = gpustream.CUDAGraph()
memory = gpustream._malloc_host(8)
with gpustream.graph(graph, stream=stream):
    gpustream._memset_async(memory, 1, 8)
    try:
        gpustream.reset_device(0)
    except gpustream.CapturingError:
        print("captured")
stream.synchronize()
""")
    assert out.strip() == "captured", out
