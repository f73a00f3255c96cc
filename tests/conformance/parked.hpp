// SPDX-License-Identifier: Apache-2.0
// A call stopped between the check of its handle and its driver call, or after a driver's record.
#pragma once

#include <atomic>
#include <thread>

#include "base/testing.hpp"
#include "support/seeded.hpp"

namespace gs::test {

using gs::testing::Seeded;

inline thread_local bool t_park = false;
inline gs::testing::Yield g_park_at = gs::testing::Yield::AfterCheck; // before the hook is set
inline std::atomic<bool> g_parked{false}, g_go_on{false};

inline void park(gs::testing::Yield where) {
    if (where != g_park_at || !t_park) return;
    t_park = false;
    g_parked = true;
    while (!g_go_on) std::this_thread::yield();
}

// Stops `call` on a thread of its own, usually right before its driver call, runs `between`, and lets the call end.
template <typename Call, typename Between>
void with_parked_call(Call &&call, Between &&between, gs::testing::Yield where = gs::testing::Yield::AfterCheck) {
    g_parked = g_go_on = false;
    g_park_at = where;
    gs::testing::yield_hook = park;
    std::thread thread([&] {
        t_park = true;
        call();
        t_park = false;
    });
    while (!g_parked) std::this_thread::yield();
    between();
    g_go_on = true;
    thread.join();
    gs::testing::yield_hook = nullptr;
}

} // namespace gs::test
