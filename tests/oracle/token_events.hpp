// SPDX-License-Identifier: Apache-2.0
// Tokens in place of interprocess events: an event's newest record is the newest token that a process has put there.
#pragma once

#include <atomic>
#include <cstdint>

#include "gpustream.h"
#include "oracle/program.hpp"

namespace gs::oracle {

// Between processes; zero at first.
struct SharedToken {
    std::atomic<uint32_t> locked;
    uint32_t made; // there is one
    gs_token_t token;
};

// An operation on an event, on the stream if it has one. A stale token is known to be reached: the lease of a pending point
// does not end, and if one did, the judge would see work too early.
gs_status_t call_by_token(const Op &op, gs_stream_t on, SharedToken &newest, bool *out_done);

} // namespace gs::oracle
