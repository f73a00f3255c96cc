// SPDX-License-Identifier: Apache-2.0
// A timeline as an object.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "support/status_matchers.hpp"

namespace gs::test {

class Timeline {
public:
    explicit Timeline(uint64_t initial = 0, gs_device_t device = 0, uint32_t flags = 0) {
        EXPECT_OK(gs_timeline_create(device, initial, flags, &handle_));
    }
    ~Timeline() {
        if (handle_) EXPECT_OK(gs_timeline_destroy(handle_));
    }
    Timeline(const Timeline &) = delete;
    Timeline &operator=(const Timeline &) = delete;

    operator gs_timeline_t() const { return handle_; } // NOLINT: used in place of the handle
    gs_timeline_t get() const { return handle_; }
    gs_timeline_t release() { return std::exchange(handle_, nullptr); }
    uint64_t value() const {
        uint64_t value = 0;
        EXPECT_OK(gs_timeline_value(handle_, &value));
        return value;
    }

private:
    gs_timeline_t handle_ = nullptr;
};

} // namespace gs::test
