// SPDX-License-Identifier: Apache-2.0
// Names of events that a tool of NVTX gets later: the tool knows events by the driver's handles, and an event has one from its first
// record on.
#pragma once

#include <cstdint>

#include "base/rare_state.hpp"

namespace gs::trace {

// The event has a name and no handle of the driver's yet. The name is kept only if a tool listens to names. Asks for
// the tool: called with no lock held.
void keep_name_for_tool(uint64_t event) noexcept;

void tell_kept_name(uint64_t event) noexcept __attribute__((cold, noinline));
void drop_kept_name(uint64_t event) noexcept __attribute__((cold, noinline));

inline bool keeps_names() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareNamesKept) != 0; }
// The event may have a handle of the driver's from now on. Called with no lock held, as the tool is.
inline void tell_name_if_kept(uint64_t event) noexcept {
    if (keeps_names()) tell_kept_name(event);
}
// The event has a reference fewer: it may live on.
inline void drop_name_if_ended(uint64_t event) noexcept {
    if (keeps_names()) drop_kept_name(event);
}

} // namespace gs::trace
