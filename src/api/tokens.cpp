// SPDX-License-Identifier: Apache-2.0
#include "api/with.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/token/token_ops.hpp"

using namespace gs::api;

extern "C" {

GS_RARE gs_status_t gs_token_create(gs_stream_t stream, gs_token_t *out_token) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(out_token);
        return create_token(thread, slot, out_token);
    });
    if (tools::observed() && status == GS_OK) tools::saw_submit(handle_bits(stream));
    return status;
}

gs_status_t gs_token_wait(gs_stream_t stream, const gs_token_t *token) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(token);
        return wait_for_token(thread, slot, *token);
    });
    if (tools::observed() && status == GS_OK) tools::saw_wait_word(handle_bits(stream));
    return status;
}

gs_status_t gs_token_status(const gs_token_t *token, gs_status_t *out_status) {
    zero(out_status);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(token);
        GS_INPUT(out_status);
        return token_status(thread, *token, out_status);
    });
}

} // extern "C"
