# SPDX-License-Identifier: Apache-2.0
"""The rows of the comparison, in the order of the table, with what each covers of the package's public names.

bindings/python/tests/test_bench_rows.py holds that every public function, class, method and property is covered, or stands below
with a reason.
"""

ROWS = {
    # Hot: once or more for each piece of work.
    "record": ["Event.record"],
    "record, current stream": [],
    "record_event, new event": ["Stream.record_event"],
    "wait, pending event": ["Event.wait"],
    "wait, complete event": ["Stream.wait_event"],
    "wait, same stream": [],
    "wait_stream": ["Stream.wait_stream"],
    "query, complete event": ["Event.query"],
    "query, idle stream": ["Stream.query"],
    "synchronize, complete event": ["Event.synchronize"],
    "synchronize, idle stream": ["Stream.synchronize"],
    "synchronize, idle device": ["synchronize"],
    "elapsed": ["Event.elapsed_time"],
    "host function": ["Stream.launch_host_func"],
    "event create + drop": ["Event"],
    "event with timing, create + drop": [],
    "event create + close": ["Event.close"],
    "stream create + drop": ["Stream"],
    "stream create + close": ["Stream.close"],
    # The current stream and device.
    "current stream": ["current_stream"],
    "current stream of a device": [],
    "current raw stream": ["current_raw_stream"],
    "default stream": ["default_stream"],
    "with stream": ["Stream.__enter__", "Stream.__exit__"],
    "with stream(s)": ["stream", "StreamContext", "StreamContext.__enter__", "StreamContext.__exit__", "StreamContext.stream"],
    "with device": ["device", "device.__enter__", "device.__exit__", "device.idx"],
    "with device_of": ["device_of", "device_of.__enter__", "device_of.__exit__", "device_of.idx"],
    "set_stream": ["set_stream"],
    "set_device": ["set_device"],
    "current device": ["current_device"],
    "device count": ["device_count"],
    "current stream is capturing": ["is_current_stream_capturing"],
    "stream is capturing": ["Stream.is_capturing"],
    # What objects say.
    "raw stream": ["Stream.cuda_stream", "Stream.native_handle"],
    "stream protocol": ["Stream.__cuda_stream__"],
    "stream for ctypes": ["Stream._as_parameter_"],
    "stream's device": ["Stream.device"],
    "stream's priority": ["Stream.priority"],
    "stream_id": ["Stream.stream_id"],
    "stream's device_index": ["Stream.device_index"],
    "stream's device_type": ["Stream.device_type"],
    "stream handle": ["Stream.handle"],
    "stream ==": ["Stream.__eq__"],
    "hash of a stream": ["Stream.__hash__"],
    "repr of a stream": ["Stream.__repr__"],
    "priority range": ["Stream.priority_range"],
    "raw event": ["Event.cuda_event", "Event.native_handle"],
    "event for ctypes": ["Event._as_parameter_"],
    "event's device": ["Event.device"],
    "event_id": ["Event.event_id"],
    "event handle": ["Event.handle"],
    "repr of an event": ["Event.__repr__"],
    "IPC handle": ["Event.ipc_handle"],
    # Streams of others.
    "wrap a raw stream": ["ExternalStream"],
    "get_stream_from_external": ["get_stream_from_external", "interop.get_stream_from_external"],
    "another library's stream": ["interop.as_stream"],
    "with another library's stream": [],
    "to DLPack": ["interop.to_dlpack"],
    "from DLPack": ["interop.from_dlpack"],
    "to __cuda_array_interface__": ["interop.to_cuda_array_interface"],
    "from __cuda_array_interface__": ["interop.from_cuda_array_interface"],
    "lead + end": ["interop.lead"],
    "follow + end": ["interop.follow"],
    "with stream, leading": [],
    "current stream, following": [],
    # Any backend's.
    "generic stream create + drop": ["generic.Stream"],
    "generic event create + drop": ["generic.Event"],
    "with generic stream": ["generic.Stream.__enter__", "generic.Stream.__exit__"],
    "repr of a generic stream": ["generic.Stream.__repr__"],
    "repr of a generic event": ["generic.Event.__repr__"],
    # Devices.
    "device object": ["Device", "Device.type", "Device.index"],
    "device ==": ["Device.__eq__"],
    "hash of a device": ["Device.__hash__"],
    "repr of a device": ["Device.__repr__"],
    "device properties": ["get_device_properties"],
    "device name": ["get_device_name"],
    "device capability": ["get_device_capability"],
    "peer access": ["can_device_access_peer"],
    "free memory": ["mem_get_info"],
    "utilization": ["utilization"],
    "memory usage": ["memory_usage"],
    "temperature": ["temperature"],
    "power": ["power_draw"],
    "clock": ["clock_rate"],
    "cuBLAS handle": ["current_blas_handle"],
    # The library.
    "is_available": ["is_available"],
    "is_initialized": ["is_initialized"],
    "init, again": ["init"],
    "get_arch_list": ["get_arch_list"],
    "get_gencode_flags": ["get_gencode_flags"],
    "is_bf16_supported": ["is_bf16_supported"],
    "get_sync_debug_mode": ["get_sync_debug_mode"],
    "set_sync_debug_mode": ["set_sync_debug_mode"],
    "cudart": ["cudart"],
    "check_error": ["check_error"],
    "ipc_collect": ["ipc_collect"],
}

# Public names without a row.
REASONS = {
    "Event.from_ipc_handle": "opens another process's event; the process that exported one is refused",
    "get_include": "asked for once, when an extension is built", "get_library": "the same",
    "Stream.driver_id": "for traces: a call of the driver", "Stream.native_context": "asked for once, when modules are loaded",
    "interop.as_event": "a few attributes, and the wait is the call",
    "interop.register_bridge": "once for each library", "interop.unregister_bridge": "the same",
    "interop.dlpack_current_work_stream": "once for each array library",
    "cudaStatus": "two numbers in a class",
    "Status": "an enum", "Reason": "an enum",
}


def is_exception(thing):
    """Exceptions have no rows: what raising one costs is the interpreter's."""
    return isinstance(thing, type) and issubclass(thing, BaseException)
