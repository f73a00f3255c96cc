// SPDX-License-Identifier: Apache-2.0
// Streams of others, by the driver's handle. A handle that is known, as one of ours or as one that is wrapped already, gives
// the same stream without a driver call.
#pragma once

#include "core/stream/foreign_owner.hpp"

namespace gs {

// expected: the device that the caller names; nullptr: any device of the default backend. release: none for a stream that
// stays its owner's. *out_handle carries one caller's reference.
Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept;

// Releases the caller's reference and returns the driver's stream, which is the caller's from then on.
Status unwrap_stream(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept;

} // namespace gs
