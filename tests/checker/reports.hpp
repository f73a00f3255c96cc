// SPDX-License-Identifier: Apache-2.0
// The checker turned on for a scope, and what it reports there.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "support/objects.hpp"

namespace gs::check::test {

using gs::test::Event;
using gs::test::make_event;
using gs::test::make_stream;
using gs::test::Stream;

struct Report {
    std::string text, json;
};

class Checking {
public:
    explicit Checking(uint32_t flags = 0) {
        EXPECT_OK(gs_set_check_callback(&Checking::take, this));
        EXPECT_OK(gs_check_start(flags));
    }
    ~Checking() {
        EXPECT_OK(gs_check_stop());
        EXPECT_OK(gs_set_check_callback(nullptr, nullptr));
    }
    Checking(const Checking &) = delete;
    Checking &operator=(const Checking &) = delete;

    // Those that came since the last call.
    std::vector<Report> reports() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(reports_, {});
    }
    size_t count() { return reports().size(); }

private:
    static void take(void *arg, const char *text, const char *json) {
        auto &self = *static_cast<Checking *>(arg);
        const std::lock_guard<std::mutex> lock(self.mutex_);
        self.reports_.push_back({text, json});
    }
    std::mutex mutex_;
    std::vector<Report> reports_;
};

} // namespace gs::check::test
