// SPDX-License-Identifier: Apache-2.0
// Messages of code that has a lock: the program's function gets them once the lock is free.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/once_result.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

Mutex g_test_mutex;
std::vector<std::string> *g_seen = nullptr;

// As a program's function may, it waits for another thread that calls the library.
void take_lock_elsewhere(void *, int32_t, const char *text) {
    std::thread([] { const MutexLock lock(g_test_mutex); }).join();
    g_seen->push_back(text);
    fail(GS_ERROR_INTERNAL, "of the function").ignore();
}

class Messages : public ::testing::Test {
protected:
    Messages() {
        EXPECT_NE(this_thread(), nullptr);
        g_seen = &seen_;
        set_log_function(take_lock_elsewhere, nullptr);
    }
    ~Messages() override { set_log_function(nullptr, nullptr); }
    std::vector<std::string> seen_;
};

TEST_F(Messages, WaitForTheOutermostLock) {
    {
        LaterMessages later;
        const MutexLock lock(g_test_mutex);
        log_message(GS_LOG_WARNING, "one");
        {
            LaterMessages inner;
            log_message(GS_LOG_WARNING, "two");
        }
        EXPECT_TRUE(seen_.empty());
        fail(GS_ERROR_TIMEOUT, "of the call").ignore();
    }
    EXPECT_EQ(seen_, (std::vector<std::string>{"one", "two"}));
    EXPECT_STREQ(pending_text(), "of the call");
    log_message(GS_LOG_WARNING, "three");
    EXPECT_EQ(seen_.size(), 3u) << "without a lock they come at once";
}

TEST_F(Messages, OfWhatRunsOnce) {
    OnceResult once;
    const auto body = []() noexcept {
        const MutexLock lock(g_test_mutex);
        log_message(GS_LOG_WARNING, "started");
        return kOk;
    };
    EXPECT_TRUE(once.run(body).ok());
    EXPECT_EQ(seen_, std::vector<std::string>{"started"});
}

} // namespace
} // namespace gs
