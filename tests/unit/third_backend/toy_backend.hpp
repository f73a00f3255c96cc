// SPDX-License-Identifier: Apache-2.0
// A backend for a test: two devices whose work is done when it is submitted. What it does not have is NOT_SUPPORTED.
#pragma once

#include "backend/backend.hpp"
#include "inventory/entries.hpp"

namespace gs {

Backend &toy_backend() noexcept;

// How many the probe finds, whether the user hides them, and whether the start fails.
extern int32_t toy_devices_found;
extern bool toy_devices_hidden;
extern bool toy_start_fails;
Status toy_no_device() noexcept;

// The next launch of a host function fails although the function runs: during the call, or when the test says so.
enum class LaunchFailure { None, Now, Later };
extern LaunchFailure toy_launch_failure;
struct LateLaunch {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
};
extern LateLaunch toy_late_launch;

// Called by the next creation of a stream, before it makes one; and whether the next destruction of one fails.
extern void (*toy_during_create)();
extern bool toy_destroy_fails;

namespace inventory {
// Lists the toy's devices as two GPUs, the second one first.
Vendor &toy_vendor() noexcept;
} // namespace inventory

} // namespace gs
