// SPDX-License-Identifier: Apache-2.0
// A function that can be left in the middle and entered again, on a stack of its own.
#pragma once

#include <functional>

namespace gs::models {

class Fiber {
public:
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;

    // Runs it until it leaves; false: it has returned.
    bool enter() noexcept;
    void leave() noexcept; // called on it

private:
    struct State;
    static void run(unsigned high, unsigned low) noexcept;
    State *state_;
};

} // namespace gs::models
