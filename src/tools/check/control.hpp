// SPDX-License-Identifier: Apache-2.0
// The process's one checker: its start and end, and the way to it.
#pragma once

#include "base/thread_block.hpp"
#include "tools/check/checker.hpp"
#include "tools/check/on_off.hpp"

namespace gs::check {

Status start_checker(uint32_t flags) noexcept;
void stop_checker() noexcept;
bool is_checking(ThreadBlock &thread) noexcept; // asks the environment if nothing has been decided yet
void hand_over(ThreadBlock &thread, uint64_t *clock) noexcept;

// body(checker, caller, races) with the checker locked, if it is on, and then the delivery of the races. The body must not
// call a backend.
using Body = void (*)(void *context, Checker &checker, const Caller &caller, Checker::Races &races);
void with_checker(ThreadBlock &thread, Body body, void *context) noexcept;
template <typename Function>
void with_checker(ThreadBlock &thread, Function &&function) noexcept {
    with_checker(
        thread,
        [](void *context, Checker &checker, const Caller &caller, Checker::Races &races) {
            (*static_cast<std::remove_reference_t<Function> *>(context))(checker, caller, races);
        },
        &function);
}

} // namespace gs::check
