// SPDX-License-Identifier: Apache-2.0
// Names of executable graphs for a tool of NVTX. The protocol can name streams and events of the driver, but no graphs. So each launch
// of one that has a name is inside a range of the thread with that name, in which the tool has the driver's call. Called with no lock
// held: the tool is foreign code.
#include "base/rare_state.hpp"
#include "core/names.hpp"
#include "tools/trace/nvtx_tool.hpp"

namespace gs::trace {

void tell_launches_of(uint64_t exec) noexcept {
    if (name_of_object(exec).text[0] != '\0' && tool_hears_ranges())
        g_rare_state.fetch_or(kRareLaunchesTold, std::memory_order_relaxed);
}

// In the child of a bad fork the launch is refused.
bool begin_launch_range(uint64_t exec) noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed);
    if ((rare & (kRareLaunchesTold | kRareBadFork)) != kRareLaunchesTold) return false;
    const NameText name = name_of_object(exec);
    if (name.text[0] == '\0') return false;
    tell_push(name.text);
    return true;
}

void end_launch_range() noexcept { tell_pop(); }

} // namespace gs::trace
