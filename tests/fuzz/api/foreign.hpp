// SPDX-License-Identifier: Apache-2.0
// Streams and events that another library made, as far as this one is concerned. They live as long as the process.
#pragma once

#include <cstdint>
#include <vector>

namespace gs::fuzz {

struct Foreign {
    std::vector<uintptr_t> streams, events;
};
extern Foreign g_foreign;
void make_foreign(); // after gs_init()

} // namespace gs::fuzz
