// SPDX-License-Identifier: Apache-2.0
#include "core/random/generator.hpp"

#include "base/lock.hpp"

namespace gs {
namespace {

Mutex g_random_state_mutex; // of those who set a state

} // namespace

RandomGenerator g_random_generators[kMaxDevices];

// The stores of seed and offset release the odd version: a reservation that reads one of them sees that the version has changed.
void set_random_state(const Device &device, RandomState state) noexcept {
    RandomGenerator &generator = g_random_generators[device.index];
    MutexLock lock(g_random_state_mutex);
    const uint32_t version = generator.version.load(std::memory_order_relaxed);
    generator.version.store(version + 1, std::memory_order_release);
    generator.seed.store(state.seed, std::memory_order_release);
    generator.offset.store(state.offset, std::memory_order_release);
    generator.version.store(version + 2, std::memory_order_release);
}

RandomState random_state(const Device &device) noexcept { return reserve_random(device, 0); }

} // namespace gs
