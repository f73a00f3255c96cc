// SPDX-License-Identifier: Apache-2.0
// Turns leading and following on and off, and ends registrations.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

Status lead(ThreadBlock &thread, int32_t id, bool on) noexcept;
Status follow(ThreadBlock &thread, int32_t id) noexcept;
// Returns once no thread is inside the bridge's functions.
Status unregister_bridge(ThreadBlock &thread, int32_t id) noexcept;

} // namespace gs
