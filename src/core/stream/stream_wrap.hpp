// SPDX-License-Identifier: Apache-2.0
// Streams of others, by the driver's handle: who owns them, and how they are wrapped and given up.
#pragma once

#include "core/slots.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {

// Who destroys the driver's stream behind a foreign or given-up one: code outside the library, or a release function that
// the library calls after the last reference.

// The library takes the stream over: release will be called. INVALID_ARGUMENT when it is the library's own, or was taken
// over before. The caller owns a reference to the stream.
Status take_over(StreamSlot &slot, ReleaseFunction release) noexcept;

// The opposite: nothing that the library does will destroy the driver's stream any more. INVALID_ARGUMENT when it already
// belongs to other code, or to the driver. NOT_SUPPORTED: other handles share it. The caller owns a reference.
Status give_up(StreamSlot &slot) noexcept;

// Streams of others, by the driver's handle. A handle that is known, as one of ours or as one that is wrapped already, gives
// the same stream without a driver call.

// expected: the device that the caller names; nullptr: any device of the default backend. release: none for a stream that
// stays its owner's. *out_handle carries one caller's reference.
Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept;

// The usual case of that, inline: a handle that was found before, of a stream of any device (expected: nullptr) or of the one
// that is expected. backend: that device's, or the default one. False: nothing was done, and wrap_stream decides.
[[gnu::always_inline]] inline bool wrap_recent(ThreadBlock &thread, const Backend *backend, const Device *expected,
                                               uintptr_t native, uint64_t *out_handle) noexcept {
    uint64_t handle = 0;
    CallMark mark(thread);
    StreamSlot *slot = find_recent_native(thread, backend, native, &handle);
    if (!slot || (expected && slot->device != expected)) return false;
    GS_YIELD(AfterCheck);
    if (!add_user(*slot)) return false;
    *out_handle = handle;
    return true;
}

// Releases the caller's reference and returns the driver's stream, which is the caller's from then on.
Status unwrap_stream(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept;

} // namespace gs
