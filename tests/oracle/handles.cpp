// SPDX-License-Identifier: Apache-2.0
#include "oracle/handles.hpp"

namespace gs::oracle {

gs_status_t Handles::call(const Op &op, bool *out_done) const {
    gs_stream_t on = streams[op.stream];
    int32_t done = 1;
    gs_status_t status = GS_OK;
    switch (op.kind) {
    case Kind::Record: return gs_event_record(events[op.other], on);
    case Kind::WaitEvent: return gs_stream_wait_event(on, events[op.other]);
    case Kind::WaitStream: return gs_stream_wait_stream(on, streams[op.other]);
    case Kind::QueryEvent: status = gs_event_query(events[op.other], &done); break;
    case Kind::QueryStream: status = gs_stream_query(on, &done); break;
    case Kind::SyncEvent: status = gs_event_synchronize(events[op.other]); break;
    case Kind::SyncStream: status = gs_stream_synchronize(on); break;
    case Kind::Work:
    case Kind::Hold:
    case Kind::RenewEvent:
    case Kind::RenewStream: return GS_ERROR_INTERNAL;
    case Kind::AddStream: return gs_queue_add_stream(queue, on, op.other);
    case Kind::AddEvent: return gs_queue_add_event(queue, events[op.stream], op.other);
    }
    *out_done = done != 0;
    return status;
}

std::string text_of(gs_status_t status) {
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    return gs_last_error(&error) == GS_OK ? error.message : gs_status_name(status);
}

} // namespace gs::oracle
