// SPDX-License-Identifier: Apache-2.0
// What the functions that record and destroy events tell: the ordering checker and the log, and a tool that waits for a name.
#pragma once

#include "tools/check/observed.hpp"
#include "tools/trace/pending_names.hpp"

namespace gs::api {

inline void saw_record(gs_event_t event, gs_stream_t stream) noexcept {
    trace::tell_name_if_kept(handle_bits(event));
    check::saw_record(handle_bits(event), handle_bits(stream));
}
inline void saw_event_end(gs_event_t event) noexcept {
    trace::drop_name_if_ended(handle_bits(event));
    check::saw_event_end(handle_bits(event));
}

} // namespace gs::api
