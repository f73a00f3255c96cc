// SPDX-License-Identifier: Apache-2.0
// What is done with timelines: their lives, signals and waits of streams and of the host.
#pragma once

#include "core/slots.hpp"
#include "core/timeline/timeline_slot.hpp"

namespace gs {

// signal_first: streams wait only for signals that are submitted. Both may create the context.
Status create_timeline(Device &device, uint64_t initial, bool signal_first, uint64_t *out_handle) noexcept;
// A semaphore of another API. type: GS_FD_*. After success the file descriptor is the driver's.
Status import_timeline(Device &device, int32_t type, int fd, uint64_t *out_handle) noexcept;
Status retain_timeline(uint64_t handle) noexcept;
Status release_timeline(uint64_t handle) noexcept;
// The first status stays.
Status abort_timeline(uint64_t handle, gs_status_t status) noexcept;
// Takes back ended timelines whose words are not waited for any more, and what past signals have left.
void trim_timelines(ThreadBlock &thread) noexcept;

// Under the caller's CallMark. The values are below 2^63 - 1.
Status signal_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t timeline, uint64_t value) noexcept;
Status wait_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t timeline, uint64_t value) noexcept;

Status signal_timeline(ThreadBlock &thread, uint64_t timeline, uint64_t value) noexcept;
Status timeline_value(ThreadBlock &thread, uint64_t timeline, uint64_t *out_value) noexcept;
// What it began with: no signal is needed to reach that.
Status timeline_first_value(uint64_t timeline, uint64_t *out_value) noexcept;
// TIMEOUT without a text.
Status synchronize_timeline(ThreadBlock &thread, uint64_t timeline, uint64_t value, int64_t timeout_ns) noexcept;

// Timelines that are semaphores of another API. The driver lets only streams signal such a semaphore and wait for it. A
// thread cannot look at one, so the order is kept by what this process has submitted.

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
