// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "backend/host/engine/engine.hpp"

namespace gs::host {

bool Engine::latch(Device &device, FaultKind kind, int32_t code, const char *origin) noexcept {
    {
        MutexLock lock(device.fault_lock);
        if (device.fault.kind != FaultKind::None) return false;
        device.fault.kind = kind;
        device.fault.code = code;
        std::snprintf(device.fault.origin, sizeof device.fault.origin, "%s", origin);
        device.health.store(static_cast<uint32_t>(kind), std::memory_order_release);
        for (HostWait *wait = device.waits; wait; wait = wait->next) wait->record->poke();
    }
    timers_.expire(device);
    words_.expire(device);
    return true;
}

void Engine::clear_fault(Device &device) noexcept {
    MutexLock lock(device.fault_lock);
    device.fault = Fault{};
    device.health.store(0, std::memory_order_release);
}

Fault Engine::fault(Device &device) noexcept {
    MutexLock lock(device.fault_lock);
    return device.fault;
}

} // namespace gs::host
