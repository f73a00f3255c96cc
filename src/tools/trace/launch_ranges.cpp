// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/launch_ranges.hpp"

#include "base/rare_state.hpp"
#include "core/names.hpp"
#include "tools/trace/nvtx_tool.hpp"

namespace gs::trace {

void tell_launches_of(uint64_t exec) noexcept {
    if (name_of_object(exec).text[0] != '\0' && tool_hears_ranges())
        g_rare_state.fetch_or(kRareLaunchesTold, std::memory_order_relaxed);
}

// In the child of a bad fork the launch is refused.
LaunchRange::LaunchRange(uint64_t exec) noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed);
    if ((rare & (kRareLaunchesTold | kRareBadFork)) != kRareLaunchesTold) return;
    const NameText name = name_of_object(exec);
    if (name.text[0] == '\0') return;
    told_ = true;
    tell_push(name.text);
}

LaunchRange::~LaunchRange() {
    if (told_) tell_pop();
}

} // namespace gs::trace
