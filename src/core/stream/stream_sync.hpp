// SPDX-License-Identifier: Apache-2.0
// What streams do. The functions taking a slot are called under the caller's CallMark, those taking a handle block and
// pin the stream themselves.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status query_stream(ThreadBlock &thread, StreamSlot &stream, bool *out_done) noexcept;
Status synchronize_stream(ThreadBlock &thread, uint64_t handle) noexcept;
Status synchronize_device(ThreadBlock &thread, Device &device) noexcept;
// Work submitted to `stream` from now on waits for what `other` was given so far.
Status wait_stream(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept;

Status launch_host(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept;
Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept;

inline void mark_used(StreamSlot &stream) noexcept {
    if (!stream.used.load(std::memory_order_relaxed)) stream.used.store(true, std::memory_order_relaxed);
}

} // namespace gs
