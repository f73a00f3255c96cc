// SPDX-License-Identifier: Apache-2.0
// Functions that wait for the work of a stream (gs_stream_defer): what the life of streams has to do for them. The rest is
// core/completion/defer.cpp, which sets these hooks when the first function comes.
#pragma once

#include "core/slots.hpp"

namespace gs {

struct DeferHooks {
    // Marks the end of the stream's work so far; the functions run when it is reached. last: the stream ends with this call.
    void (*flush)(StreamSlot &stream, bool last) noexcept;
    // The stream's work is done, or never will be.
    void (*finish)(StreamSlot &stream) noexcept;
};
extern std::atomic<const DeferHooks *> g_defer_hooks __attribute__((visibility("hidden")));

inline bool has_deferred(const StreamSlot &stream) noexcept {
    return __builtin_expect(stream.deferred.load(std::memory_order_acquire) != nullptr, 0);
}
// The stream is about to end; its driver stream may be destroyed after this.
inline void flush_last_deferred(StreamSlot &stream) noexcept {
    if (has_deferred(stream)) g_defer_hooks.load(std::memory_order_acquire)->flush(stream, true);
}
inline void finish_deferred(StreamSlot &stream) noexcept {
    if (has_deferred(stream)) g_defer_hooks.load(std::memory_order_acquire)->finish(stream);
}
// gs_trim: those of all live streams.
void flush_all_deferred(ThreadBlock &thread) noexcept;

} // namespace gs
