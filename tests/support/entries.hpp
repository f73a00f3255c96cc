// SPDX-License-Identifier: Apache-2.0
// A queue of completions for tests, and what it delivers.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "gpustream.h"
#include "support/status_matchers.hpp"

namespace gs::test {

class Queue {
public:
    explicit Queue(uint32_t capacity = 1024) { EXPECT_OK(gs_queue_create(capacity, 0, &handle_)); }
    ~Queue() {
        if (handle_) EXPECT_OK(gs_queue_destroy(handle_));
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    operator gs_queue_t() const { return handle_; } // NOLINT: used in place of the handle
    void end() { EXPECT_OK(gs_queue_destroy(std::exchange(handle_, nullptr))); }

    // Waits until `count` entries came; a lost one shows as the test's time limit.
    std::vector<gs_completion_t> take(size_t count) {
        std::vector<gs_completion_t> all;
        while (all.size() < count) {
            gs_completion_t some[16];
            size_t got = 0;
            if (gs_queue_wait(handle_, some, 16, -1, &got) != GS_OK) {
                ADD_FAILURE() << "gs_queue_wait failed";
                break;
            }
            all.insert(all.end(), some, some + got);
        }
        EXPECT_EQ(all.size(), count) << "more entries than were added";
        return all;
    }
    gs_completion_t take_one() {
        const std::vector<gs_completion_t> all = take(1);
        return all.empty() ? gs_completion_t{} : all.front();
    }
    size_t poll() {
        gs_completion_t some[16];
        size_t got = 0;
        EXPECT_OK(gs_queue_poll(handle_, some, 16, &got));
        return got;
    }

private:
    gs_queue_t handle_ = nullptr;
};

} // namespace gs::test
