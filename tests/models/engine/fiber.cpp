// SPDX-License-Identifier: Apache-2.0
// A context that was made is entered once; from then on jumps, which need no system call, change between the two stacks.
#if defined(_FORTIFY_SOURCE)
#undef _FORTIFY_SOURCE // it takes a jump to another stack for an error
#endif
#include "models/engine/fiber.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace gs::models {
namespace {

constexpr size_t kStackBytes = size_t{256} << 10;
std::vector<std::unique_ptr<char[]>> g_stacks; // of fibers that have ended

std::unique_ptr<char[]> take_stack() {
    if (g_stacks.empty()) return std::make_unique<char[]>(kStackBytes);
    std::unique_ptr<char[]> stack = std::move(g_stacks.back());
    g_stacks.pop_back();
    return stack;
}

} // namespace

struct Fiber::State {
    std::function<void()> body;
    std::unique_ptr<char[]> stack;
    ucontext_t first;
    ucontext_t caller;
    jmp_buf inside;
    jmp_buf outside;
    bool started = false;
    bool ended = false;
};

Fiber::Fiber(std::function<void()> body) : state_(new State{std::move(body), take_stack(), {}, {}, {}, {}}) {}

Fiber::~Fiber() {
    g_stacks.push_back(std::move(state_->stack));
    delete state_;
}

void Fiber::run(unsigned high, unsigned low) noexcept {
    auto *state = reinterpret_cast<State *>(static_cast<uintptr_t>(high) << 32 | low);
    state->body();
    state->ended = true;
    _longjmp(state->outside, 1);
}

bool Fiber::enter() noexcept {
    if (_setjmp(state_->outside) == 0) {
        if (state_->started) _longjmp(state_->inside, 1);
        state_->started = true;
        getcontext(&state_->first);
        state_->first.uc_stack.ss_sp = state_->stack.get();
        state_->first.uc_stack.ss_size = kStackBytes;
        state_->first.uc_link = nullptr;
        const auto address = reinterpret_cast<uintptr_t>(state_);
        makecontext(&state_->first, reinterpret_cast<void (*)()>(run), 2, static_cast<unsigned>(address >> 32),
                    static_cast<unsigned>(address));
        setcontext(&state_->first);
    }
    return !state_->ended;
}

void Fiber::leave() noexcept {
    if (_setjmp(state_->inside) == 0) _longjmp(state_->outside, 1);
}

} // namespace gs::models
