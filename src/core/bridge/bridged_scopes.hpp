// SPDX-License-Identifier: Apache-2.0
// What bridges had before a scope of the core was opened, and how they are told.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

// Tells every bridge of the target's backend that `native` is current there, and the target where the device changed; notes
// what each had as the record of the scope with this token and depth. After a failure all that were told have what they had.
Status tell_of_push(BridgeThread &mine, const Scope &scope, int32_t depth, uintptr_t native) noexcept;
// Restores what the innermost record, if it is this scope's, has noted, and drops it. Without one, the bridges that are told
// now get `native`, which is current on the target again. Goes on after a failure and returns the first.
Status tell_of_pop(BridgeThread &mine, uint64_t token, const Device &target, uintptr_t native) noexcept;
// Drops the record without restoring anything.
void forget_push(BridgeThread &mine) noexcept;
// The device has changed. After a failure those that were told are told `previous` again.
Status tell_of_device(BridgeThread &mine, const Device &previous, const Device &device) noexcept;

} // namespace gs
