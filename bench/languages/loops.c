/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of C that the benchmarks of Fortran, Zig, Go and Node put theirs beside: each is made n times, and the
   statuses are gathered so that none is ignored. */
#include "gpustream.h"

gs_status_t loop_record(int64_t n, gs_stream_t stream, gs_event_t event);
gs_status_t loop_wait(int64_t n, gs_stream_t stream, gs_event_t event);
gs_status_t loop_query(int64_t n, gs_event_t event);
gs_status_t loop_scope(int64_t n, gs_stream_t stream);
gs_status_t loop_event(int64_t n);
gs_status_t loop_stream(int64_t n);

gs_status_t loop_record(int64_t n, gs_stream_t stream, gs_event_t event) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) failed |= gs_stream_record_event(stream, event);
    return failed;
}

gs_status_t loop_wait(int64_t n, gs_stream_t stream, gs_event_t event) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) failed |= gs_stream_wait_event(stream, event);
    return failed;
}

gs_status_t loop_query(int64_t n, gs_event_t event) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) {
        int32_t done = 0;
        failed |= gs_event_query(event, &done);
        if (!done) failed |= GS_NOT_READY;
    }
    return failed;
}

gs_status_t loop_scope(int64_t n, gs_stream_t stream) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) {
        uint64_t scope = 0;
        failed |= gs_push_current_stream(stream, &scope);
        failed |= gs_pop_current_stream(scope);
    }
    return failed;
}

gs_status_t loop_event(int64_t n) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) {
        gs_event_t event = NULL;
        failed |= gs_event_create(0, &event);
        failed |= gs_event_destroy(event);
    }
    return failed;
}

gs_status_t loop_stream(int64_t n) {
    gs_status_t failed = GS_OK;
    for (int64_t i = 0; i < n; ++i) {
        gs_stream_t stream = NULL;
        failed |= gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream);
        failed |= gs_stream_destroy(stream);
    }
    return failed;
}
