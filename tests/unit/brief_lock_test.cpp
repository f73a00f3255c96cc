// SPDX-License-Identifier: Apache-2.0
// The lock of pools: one thread at a time, and no thread that waits is forgotten.
#include "base/lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace gs {
namespace {

constexpr int kThreads = 4;

void run(const auto &body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(body);
    for (std::thread &thread : threads) thread.join();
}

TEST(BriefLock, OneThreadAtATime) {
    constexpr int kTurns = 20'000;
    BriefLock lock;
    int inside = 0, turns = 0, most = 0; // plain numbers: ThreadSanitizer sees what the lock does not order
    run([&] {
        for (int i = 0; i < kTurns; ++i) {
            BriefGuard guard(lock);
            most = ++inside > most ? inside : most;
            if (i % 64 == 0) std::this_thread::yield(); // the others have to wait, and then to sleep
            ++turns;
            --inside;
        }
    });
    EXPECT_EQ(turns, kThreads * kTurns);
    EXPECT_EQ(most, 1);
}

TEST(BriefLock, SleepersAreWoken) {
    BriefLock lock;
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> coming{0};
        int through = 0;
        lock.lock();
        std::thread holder([&] { // of the threads that wait
            run([&] {
                ++coming;
                BriefGuard guard(lock);
                ++through;
            });
        });
        while (coming < kThreads) std::this_thread::yield();
        for (int i = 0; i < 100; ++i) std::this_thread::yield(); // usually enough for them to fall asleep
        EXPECT_EQ(through, 0);
        lock.unlock();
        holder.join();
        EXPECT_EQ(through, kThreads);
    }
}

} // namespace
} // namespace gs
