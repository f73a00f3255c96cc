// SPDX-License-Identifier: Apache-2.0
// A stream is known to be idle from its thread's last synchronize, or complete query, until something is enqueued: the driver is
// not asked again. Only if no other thread has ever used the stream, and no other code can: all that it was ever given came from
// this thread. GPUSTREAM_ELIDE=0 turns it off.
#pragma once

#include "core/event/elision.hpp"
#include "core/slots.hpp"

namespace gs {

// What the thread does with the stream is all that is ever done with it. Blocking streams also do what the default stream says.
inline bool is_private(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    return stream.owner.load(std::memory_order_relaxed) == thread.id &&
           !stream.reachable.load(std::memory_order_relaxed) &&
           (stream.kind == StreamKind::Leased || stream.kind == StreamKind::Dedicated) && !stream.blocking() &&
           stream.deferred.load(std::memory_order_relaxed) == nullptr;
}

inline bool known_idle(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    return stream.use.load(std::memory_order_relaxed) != StreamUse::Some && is_private(thread, stream) && may_elide();
}

// The driver says that the stream is idle.
inline void note_idle(const ThreadBlock &thread, StreamSlot &stream) noexcept {
    if (is_private(thread, stream)) stream.use.store(StreamUse::Waited, std::memory_order_relaxed);
}

} // namespace gs
