# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""What Cython sees of the header: types, constants, a struct, functions."""
from libc.stdint cimport int32_t, uint32_t
from gpustream cimport (GS_DEVICE_CURRENT, GS_OK, GS_STREAM_CURRENT, gs_device_get_info, gs_device_info_t, gs_event_create, gs_event_destroy,
                        gs_event_query, gs_event_record, gs_event_synchronize, gs_event_t, gs_status_name, gs_status_t)


def record_and_wait():
    cdef gs_event_t event
    cdef gs_status_t status = gs_event_create(0, &event)
    cdef int32_t done = 0
    with nogil:
        if status == GS_OK:
            status = gs_event_record(event, GS_STREAM_CURRENT)
        if status == GS_OK:
            status = gs_event_synchronize(event)
        if status == GS_OK:
            status = gs_event_query(event, &done)
        gs_event_destroy(event)
    return gs_status_name(status).decode(), done


def name():
    cdef gs_device_info_t info
    info.struct_size = <uint32_t>sizeof(info)
    if gs_device_get_info(GS_DEVICE_CURRENT, &info) != GS_OK:
        raise RuntimeError("no information")
    return (<const char *>info.name).decode()
