// SPDX-License-Identifier: Apache-2.0
// First use: starting backends, the queue of deferred calls, and whether the library counts as initialised.
#pragma once

#include "core/device/device.hpp"

namespace gs {

// Starts a backend and builds its device table; thread-safe, outcome latched. GS_BACKEND_DEFAULT: the default one.
Status use_backend(gs_backend_t kind, Backend **out) noexcept;

// gs_init: the default backend is started and every deferred call has run. Cheap once done.
Status initialize() noexcept;
bool is_initialized() noexcept;
// Runs fn now if initialised, else queues it.
Status call_on_init(gs_status_t (*fn)(void *), void *arg) noexcept;

// The locks that calls without a device may hold: a child forked before the first use must find them free.
void guard_locks_in_fork() noexcept;

extern std::atomic<bool> g_initialized __attribute__((visibility("hidden")));

// Row E3 of the feature list: the calls that initialise on demand call this first.
inline Status ensure_initialized() noexcept {
    if (__builtin_expect(g_initialized.load(std::memory_order_acquire), 1)) return kOk;
    return initialize();
}

// The same for a call on one device: that a default backend cannot start is no business of a device that names another
// one.
Status initialize_for(gs_device_t number) noexcept;
inline Status ensure_initialized_for(gs_device_t number) noexcept {
    if (__builtin_expect(g_initialized.load(std::memory_order_acquire), 1)) return kOk;
    return initialize_for(number);
}

} // namespace gs
