// SPDX-License-Identifier: Apache-2.0
// Tokens and operations on words whose memory runs out: the file, the slot, the event, and what the queue of a stream needs.
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"

namespace gs::test {

Failure tokens() {
    Failure failure;
    gs_stream_t stream = nullptr;
    gs_token_t token{};
    gs_status_t seen = GS_OK;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_token_create, stream, &token);
    STEP(gs_token_status, &token, &seen);
    STEP(gs_token_wait, stream, &token);
    if (stream) settle(stream, &failure);
    GIVE_BACK(gs_stream_destroy, stream);
    return failure;
}

Failure words() {
    Failure failure;
    static uint64_t word; // the host backend's streams reach all memory of the process
    const gs_value_op_t ops[] = {{&word, 2, GS_VALUE_WRITE, 0}, {&word, 2, GS_VALUE_GEQ, 0}};
    gs_stream_t stream = nullptr;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_stream_write_value, stream, &word, 1, 0);
    STEP(gs_stream_wait_value, stream, &word, 1, GS_VALUE_GEQ);
    STEP(gs_stream_batch_values, stream, ops, 2);
    if (stream) settle(stream, &failure);
    GIVE_BACK(gs_stream_destroy, stream);
    return failure;
}

} // namespace gs::test
