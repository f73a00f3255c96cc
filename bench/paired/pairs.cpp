// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

#include <algorithm>

#include "driver.hpp"

namespace paired {

const char *name_of(Thread thread) {
    switch (thread) {
    case Thread::Plain: return "none set";
    case Thread::OtherLibrary: return "set by another library";
    case Thread::Set: return "set";
    }
    return "?";
}

Row Pairs::begin(const char *call, int batch) const {
    Row row;
    row.call = call;
    row.thread = thread_;
    row.batch = scaled(batch);
    return row;
}

int Pairs::scaled(int batch) const { return std::max(1, static_cast<int>(batch * settings_.scale)); }

void Pairs::enter(bool driver) const {
    if (driver && thread_ == Thread::Plain) (void)g_driver.set_context(g_driver.context);
}

void Pairs::leave(bool driver) const {
    if (driver && thread_ == Thread::Plain) (void)g_driver.set_context(nullptr);
}

uint64_t Pairs::driver_calls() {
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    return gs_get_stats(&stats) == GS_OK ? stats.driver_calls : 0;
}

} // namespace paired
