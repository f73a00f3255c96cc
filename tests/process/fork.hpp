// SPDX-License-Identifier: Apache-2.0
// For tests of forks beside other threads.
#pragma once

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/long_form.hpp"

namespace gs::test {

inline int forks(const char *name, int few, int many) {
    const char *own = std::getenv(name);
    if (own) return std::atoi(own);
    return long_form() ? many : few;
}

// Threads that go on until `stop`.
struct Busy {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    ~Busy() {
        stop = true;
        for (std::thread &thread : threads) thread.join();
    }
};

} // namespace gs::test
