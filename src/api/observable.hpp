// SPDX-License-Identifier: Apache-2.0
// Functions that the ordering checker observes. While nothing rare goes on they cost one jump more than the others: the
// test for rare states, which boundary() makes for those, is made for the checker too.
#pragma once

#include "api/with.hpp"
#include "core/hooks/tool_hooks.hpp"

namespace gs::api {

// Handles, structs and untyped memory are inputs; what is written through other pointers is zeroed when a call is refused.
template <typename T>
void zero_if_number([[maybe_unused]] T argument) noexcept {
    using Target = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && std::is_arithmetic_v<Target> && !std::is_const_v<Target>) zero(argument);
}

template <auto call, auto saw, typename... Arguments>
[[gnu::noinline]] gs_status_t call_observed(const char *function, Arguments... arguments) noexcept {
    if (in_rare_state()) {
        if (const gs_status_t refused = enter_rare_state(function, true); refused != GS_OK) {
            (zero_if_number(arguments), ...);
            return refused;
        }
    }
    if (!tools::observed()) return call(arguments...); // with bridges, this is the usual way
    const gs_status_t status = call(arguments...);
    if (status == GS_OK) saw(arguments...);
    return status;
}

// call: the function itself, with a rule of what is called inside; it is not inlined, so that both ways share it.
// saw: tells the checker of a call that has succeeded.
template <auto call, auto saw, typename... Arguments>
[[gnu::always_inline]] inline gs_status_t observable(const char *function, Arguments... arguments) noexcept {
    if (in_rare_or_observed_state()) {
        const gs_status_t status = call_observed<call, saw>(function, arguments...);
        __asm__ volatile(""); // no tail call: reports show this function in the call stack
        return status;
    }
    return call(arguments...);
}

} // namespace gs::api
