// SPDX-License-Identifier: Apache-2.0
// A pause of a thread that looks again and again until another one has left a short stretch of code.
#pragma once

#include <sched.h>
#include <time.h>

namespace gs {

// round: how often it has looked so far. It sleeps at last, since a yield gives no thread of a lower real-time priority a turn.
inline void give_way(int round) noexcept {
    constexpr int kYields = 100;
    constexpr long kNapNanoseconds = 50'000;
    if (round < kYields) {
        sched_yield();
        return;
    }
    const timespec nap{0, kNapNanoseconds};
    nanosleep(&nap, nullptr);
}

} // namespace gs
