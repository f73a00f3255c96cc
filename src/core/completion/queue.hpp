// SPDX-License-Identifier: Apache-2.0
// Queues of completions.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status create_queue(uint32_t capacity, uint64_t *out_handle) noexcept;
Status retain_queue(uint64_t handle) noexcept;
Status release_queue(uint64_t handle) noexcept;
bool queue_lives(uint64_t handle) noexcept;
Status queue_fd(uint64_t handle, int32_t *out_fd) noexcept;
// Both under the caller's CallMark.
Status queue_add_stream(ThreadBlock &thread, uint64_t handle, StreamSlot &stream, uint64_t token) noexcept;
Status queue_add_event(ThreadBlock &thread, uint64_t handle, EventSlot &event, uint64_t token) noexcept;
Status cancel_in_queue(uint64_t handle, uint64_t token, size_t *out_count) noexcept;
Status wake_queue(uint64_t handle) noexcept;
Status poll_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, size_t *out_count) noexcept;
Status wait_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, int64_t timeout_ns,
                  size_t *out_count) noexcept;

} // namespace gs
