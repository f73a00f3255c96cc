// SPDX-License-Identifier: Apache-2.0
// A timeline semaphore of another API as the driver keeps it.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/host/engine/engine.hpp"

namespace fake {

struct Context;

// What was imported. The word lies in the other API's memory, which stays mapped: a stream may still look at it.
struct Semaphore {
    Context *context = nullptr;
    uint64_t *word = nullptr;
    bool orphan = false;
    std::vector<gs::host::Event *> users; // behind what streams do with it
};

} // namespace fake
