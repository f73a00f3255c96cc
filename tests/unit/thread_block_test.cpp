// SPDX-License-Identifier: Apache-2.0
#include "base/thread_block.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <set>
#include <thread>
#include <vector>

#include "gpustream.h"
#include "support/status_matchers.hpp"

namespace gs {
namespace {

size_t count_blocks() {
    size_t count = 0;
    for (const ThreadBlock *block = all_thread_blocks(); block; block = block->next) ++count;
    return count;
}

TEST(ThreadBlock, OnePerThreadAndTheSameEachTime) {
    ThreadBlock *mine = this_thread();
    EXPECT_EQ(this_thread(), mine);
    std::thread other([&] { EXPECT_NE(this_thread(), mine); });
    other.join();
}

TEST(ThreadBlock, BlocksOfDeadThreadsAreHandedOn) {
    std::thread([] { this_thread(); }).join();
    const size_t before = count_blocks();
    std::set<uint64_t> serials;
    for (int i = 0; i < 50; ++i)
        std::thread([&] {
            const ThreadBlock *block = this_thread();
            EXPECT_TRUE(serials.insert(block->serial).second) << "a serial is never reused";
            EXPECT_EQ(block->last.status, GS_OK) << "errors of the ended thread are visible";
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(nullptr));
        }).join();
    EXPECT_EQ(count_blocks(), before);
}

TEST(ThreadBlock, CountersOutliveTheirThread) {
    const auto created = [] {
        uint64_t sum = 0;
        for (const ThreadBlock *block = all_thread_blocks(); block; block = block->next)
            sum += block->counters.events_created.get();
        return sum;
    };
    const uint64_t before = created();
    std::thread([] {
        gs_event_t event = nullptr;
        EXPECT_OK(gs_event_create(0, &event));
        EXPECT_OK(gs_event_destroy(event));
    }).join();
    EXPECT_EQ(created(), before + 1);
}

pthread_key_t g_late_key;
bool g_late_ran = false;

// Destructors of thread-specific data that run after the library's may still call the library.
TEST(ThreadBlock, CallsFromLateDestructorsOfAThread) {
    ASSERT_EQ(pthread_key_create(&g_late_key,
                                 [](void *value) {
                                     if (value != &g_late_ran)
                                         return pthread_setspecific(g_late_key, &g_late_ran), void();
                                     EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(nullptr));
                                     EXPECT_EQ(test::last_error().status, GS_ERROR_INVALID_HANDLE);
                                     g_late_ran = true;
                                 }),
              0);
    std::thread([] {
        this_thread();
        pthread_setspecific(g_late_key, &g_late_key);
    }).join();
    EXPECT_TRUE(g_late_ran);
    std::thread([] { EXPECT_NE(this_thread(), nullptr); }).join();
    pthread_key_delete(g_late_key);
}

} // namespace
} // namespace gs
