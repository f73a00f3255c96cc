// SPDX-License-Identifier: Apache-2.0
// The process's one checker: its start and end, and the way to it.
#pragma once

#include "base/rare_state.hpp"
#include "base/thread_block.hpp"
#include "tools/check/checker.hpp"

namespace gs::check {

Status start_checker(uint32_t flags) noexcept;
void stop_checker() noexcept;
void read_checker_environment() noexcept; // once
// A hint: who acts on it looks again under the lock.
inline bool is_checking() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareChecked) != 0; }
void hand_over(ThreadBlock &thread, uint64_t *clock) noexcept;

// body(checker, caller, races) with the checker locked, if it is on, and then the delivery of the races. The body must not
// call a backend. A body that accesses memory has the caller's site, if the checker keeps those.
enum class OfCall : bool { Order, Access };
using Body = void (*)(void *context, Checker &checker, const Caller &caller, Checker::Races &races);
void with_checker(ThreadBlock &thread, OfCall what, Body body, void *context) noexcept;
template <OfCall What = OfCall::Order, typename Function>
void with_checker(ThreadBlock &thread, Function &&function) noexcept {
    with_checker(
        thread, What,
        [](void *context, Checker &checker, const Caller &caller, Checker::Races &races) {
            (*static_cast<std::remove_reference_t<Function> *>(context))(checker, caller, races);
        },
        &function);
}

} // namespace gs::check
