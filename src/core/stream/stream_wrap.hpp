// SPDX-License-Identifier: Apache-2.0
// Streams of others, by the driver's handle. A handle that is known, as one of ours or as one that is wrapped already, gives
// the same stream without a driver call.
#pragma once

#include "core/stream/foreign_owner.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {

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
