// SPDX-License-Identifier: Apache-2.0
#include "core/stream/kept_memory.hpp"

namespace gs {

std::atomic<DropKeptMemory> g_drop_kept_memory{nullptr};

} // namespace gs
