// SPDX-License-Identifier: Apache-2.0
// Tokens whose memory runs out: the file, the slot, and the event in it.
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

} // namespace gs::test
