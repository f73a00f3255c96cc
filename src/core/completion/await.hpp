// SPDX-License-Identifier: Apache-2.0
// Waiting on the calling thread for driver events that no other code records: sleeping, spinning or both, with a limit.
#pragma once

#include <cstddef>

#include "core/completion/waiter.hpp"
#include "core/slots.hpp"

namespace gs {

struct Awaited {
    Device *device = nullptr;
    uintptr_t event = 0; // 0: complete
    History history;
};

// TIMEOUT without a text. The first failure ends the wait.
Status await_all(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit) noexcept;
// *out_index: the first one that is complete or failed.
Status await_any(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit, size_t *out_index) noexcept;

} // namespace gs
