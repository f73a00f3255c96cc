// SPDX-License-Identifier: Apache-2.0
// What a launch has beside its geometry.
#pragma once

#include "core/slots.hpp"

namespace gs {

// All that can be checked without a device. INVALID_ARGUMENT.
Status check_attributes(const gs_launch_config_t &config) noexcept __attribute__((cold));

// The programmatic event of a launch, which may be complete before the kernel is. From its first such record on it counts as an
// event that other code records: the driver is asked about it, and its driver event stays with its owner.
class EarlyEvent {
public:
    // Replaces the handle by the backend's event. Under the caller's CallMark.
    Status take(ThreadBlock &thread, StreamSlot &stream, gs_launch_config_t *config) noexcept;
    // After the launch.
    void recorded(ThreadBlock &thread, StreamSlot &stream, const Status &status) noexcept;

private:
    EventSlot *event_ = nullptr;
    uint64_t before_ = 0;
};

} // namespace gs
