// SPDX-License-Identifier: Apache-2.0
// The functions that wait for something: in Python they give up the global lock, in Java they are never "critical".
// The list is that of "blocking" in tests/parity/api.json, which is that of the header; a test compares them.

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
