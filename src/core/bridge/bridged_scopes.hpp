// SPDX-License-Identifier: Apache-2.0
// What bridges had before a scope of the core was opened, and how they are notified.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

// Sets `native`, and the target where the device changed, in every bridge of the target's backend that is notified, and
// records what each had before for the scope with this token and depth. After a failure each has what it had.
Status notify_push(BridgeThread &mine, const Scope &scope, int32_t depth, uintptr_t native) noexcept;
// Restores what the innermost record, if it is this scope's, has noted, and drops it. Without one, the bridges that are notified
// now get `native`, which is current on the target again. Goes on after a failure and returns the first.
Status notify_pop(BridgeThread &mine, uint64_t token, const Device &target, uintptr_t native) noexcept;
// Drops the record without restoring anything.
void forget_push(BridgeThread &mine) noexcept;
// The device has changed. After a failure those that were notified get `previous` again.
Status notify_device(BridgeThread &mine, const Device &previous, const Device &device) noexcept;

} // namespace gs
