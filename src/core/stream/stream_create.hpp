// SPDX-License-Identifier: Apache-2.0
// Making streams, from nothing or from what others made. Every *out_handle carries one caller's reference.
#pragma once

#include "core/stream/stream_life.hpp"

namespace gs {

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept;

struct ReleaseFunction {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
};
// expected: the device the caller says it is on; nullptr: any device of the default backend.
Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept;

// A stream named by its handle only; under the caller's CallMark.
Status no_such_stream(uint64_t handle) noexcept __attribute__((cold));
inline Status required_stream(const ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    *out = find_stream(thread, handle);
    return __builtin_expect(*out != nullptr, 1) ? kOk : no_such_stream(handle);
}
// The stream named by GS_STREAM_CURRENT or a handle, for calls whose stream is optional.
Status current_or_no_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept;
inline Status optional_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    *out = find_stream(thread, handle);
    return __builtin_expect(*out != nullptr, 1) ? kOk : current_or_no_stream(thread, handle, out);
}

int64_t stream_id(const StreamSlot &slot) noexcept;
bool same_stream(const StreamSlot &a, const StreamSlot &b) noexcept;
uint64_t stream_hash(const StreamSlot &slot) noexcept;

} // namespace gs
