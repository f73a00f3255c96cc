// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/stream_words.hpp"

#include "core/lookup.hpp"

namespace gs {

Status refuse_if_captured(ThreadBlock &thread, StreamSlot &stream) noexcept {
    bool capturing = false;
    GS_TRY(is_captured(thread, stream, &capturing));
    if (capturing)
        return fail(GS_ERROR_CAPTURING,
                    "timelines and words of memory cannot be part of a graph: the stream is being captured");
    return kOk;
}

Status write_value(ThreadBlock &thread, StreamSlot &stream, void *address, uint64_t value, uint32_t flags) noexcept {
    GS_TRY(refuse_captured(thread, stream));
    mark_used(stream);
    return stream.backend->write_value(thread, stream.ref(), address, value, flags);
}

Status wait_value(ThreadBlock &thread, StreamSlot &stream, void *address, uint64_t value, uint32_t flags) noexcept {
    GS_TRY(refuse_captured(thread, stream));
    mark_used(stream);
    return stream.backend->wait_value(thread, stream.ref(), address, value, flags);
}

Status batch_values(ThreadBlock &thread, StreamSlot &stream, const gs_value_op_t *ops, size_t count) noexcept {
    GS_TRY(refuse_captured(thread, stream));
    mark_used(stream);
    return stream.backend->batch_values(thread, stream.ref(), ops, count);
}

} // namespace gs
