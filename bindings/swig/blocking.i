// SPDX-License-Identifier: Apache-2.0
// The functions that wait for something: in Python they give up the global lock, in Java they are never "critical".
// The list is that of the header's "blocking" lines; a test compares them.

%define GS_FOR_EACH_BLOCKING(WHAT)
WHAT(gs_device_synchronize)
WHAT(gs_current_blas_handle)
WHAT(gs_stream_create)
WHAT(gs_stream_synchronize)
WHAT(gs_event_synchronize)
WHAT(gs_malloc_host)
WHAT(gs_free_host)
WHAT(gs_memcpy_async)
WHAT(gs_module_load)
WHAT(gs_module_destroy)
%enddef

// The functions that hand something to a driver's queue or ask for its state. They wait for no device work, but a
// driver makes its caller wait while a queue is full, and callers of other functions wait for that one meanwhile.
// Where a binding can do so at no cost it treats them as those above; Python does with GPUSTREAM_GIL=release.
%define GS_FOR_EACH_QUEUEING(WHAT)
WHAT(gs_event_record)
WHAT(gs_event_wait)
WHAT(gs_event_query)
WHAT(gs_event_elapsed_ms)
WHAT(gs_event_ipc_export)
WHAT(gs_event_ipc_open)
WHAT(gs_event_from_native)
WHAT(gs_stream_record_event)
WHAT(gs_stream_wait_event)
WHAT(gs_stream_wait_stream)
WHAT(gs_stream_query)
WHAT(gs_stream_is_capturing)
WHAT(gs_stream_from_native)
WHAT(gs_stream_sleep)
WHAT(gs_malloc_async)
WHAT(gs_free_async)
WHAT(gs_memset_async)
WHAT(gs_kernel_launch)
WHAT(gs_trim)
%enddef

// The functions that ask NVML, which takes up to milliseconds and has locks of its own.
%define GS_FOR_EACH_MEASURING(WHAT)
WHAT(gs_inventory_count)
WHAT(gs_inventory_get)
WHAT(gs_inventory_index)
WHAT(gs_device_utilization_percent)
WHAT(gs_device_memory_utilization_percent)
WHAT(gs_device_temperature_celsius)
WHAT(gs_device_power_milliwatts)
WHAT(gs_device_sm_clock_mhz)
WHAT(gs_device_memory_bytes)
%enddef

// The functions that may be the first use of a backend, whose driver then needs up to seconds, and answer from memory
// afterwards.
%define GS_FOR_EACH_STARTING(WHAT)
WHAT(gs_default_backend)
WHAT(gs_is_available)
WHAT(gs_device_count)
WHAT(gs_current_device)
WHAT(gs_set_current_device)
WHAT(gs_exchange_device)
WHAT(gs_maybe_exchange_device)
%enddef
