// SPDX-License-Identifier: Apache-2.0
// Initialisation: the default backend is started and the queue of deferred calls has run.
#pragma once

#include "core/device/device.hpp"

namespace gs {

// gs_init. Cheap once done.
Status initialize() noexcept;
bool is_initialized() noexcept;
// Runs fn now if the library is initialised, else queues it.
Status call_on_init(ThreadBlock &thread, gs_status_t (*fn)(void *), void *arg) noexcept;

extern std::atomic<bool> g_initialized __attribute__((visibility("hidden")));

// Row E3 of the feature list: the calls that initialise on demand call this first.
inline Status ensure_initialized() noexcept {
    if (g_initialized.load(std::memory_order_acquire)) return kOk;
    return initialize();
}

// The same for a call on one device: a device of another backend can be used although the default backend cannot start.
Status initialize_for(gs_device_t number) noexcept;
inline Status ensure_initialized_for(gs_device_t number) noexcept {
    if (g_initialized.load(std::memory_order_acquire)) return kOk;
    return initialize_for(number);
}

} // namespace gs
