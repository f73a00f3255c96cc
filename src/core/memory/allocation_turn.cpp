// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocation_turn.hpp"

#include <sched.h>

#include <utility>

#include "base/clock.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {
namespace {

// Another thread may be stopped in the driver's call for as long as it likes. On a busy machine all have to have had their turn.
constexpr uint64_t kLongestNs = 100'000'000;
constexpr int kFewestAttempts = 64;

} // namespace

bool AllocationTurn::put_off() noexcept {
    const uint64_t now = monotonic_ns();
    if (first_ns_ == 0) first_ns_ = now;
    again_ = ++attempts_ < kFewestAttempts || now - first_ns_ < kLongestNs;
    return again_;
}

bool AllocationTurn::again() noexcept {
    if (!std::exchange(again_, false)) return false;
    collect_streams(this_thread());
    sched_yield();
    return true;
}

} // namespace gs
