// SPDX-License-Identifier: Apache-2.0
// Creates streams, and wraps those that others created. *out_handle carries one caller's reference.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept;

struct ReleaseFunction {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
};
// expected: the device that the caller names; nullptr: any device of the default backend.
Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept;

} // namespace gs
