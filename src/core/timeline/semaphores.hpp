// SPDX-License-Identifier: Apache-2.0
// Timelines that are semaphores of another API. The driver lets only streams signal such a semaphore and wait for it. A
// thread cannot look at one, so the order is kept by what this process has submitted.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// NOT_SUPPORTED: a thread cannot do that with a semaphore. With the lock held.
Status check_host_side(const TimelineSlot &slot) noexcept;
// NOT_SUPPORTED: a semaphore of another device than the stream's. With the lock held.
Status check_semaphore_stream(const TimelineSlot &slot, const StreamSlot &stream) noexcept;

// Of a slot in use (`inside`), without its lock. key: of the stream.
Status signal_semaphore(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot,
                        uint64_t value) noexcept;
Status wait_semaphore(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot,
                      uint64_t value) noexcept;

} // namespace gs
