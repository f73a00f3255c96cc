// SPDX-License-Identifier: Apache-2.0
// Parts of a device as the driver keeps them.
#pragma once

#include <cstdint>
#include <set>

namespace fake {

struct Context;

// Multiprocessors that a descriptor or a green context has.
struct Multiprocessors {
    int device = 0;
    uint64_t split = 0; // the call that divided the device
    std::set<unsigned> numbers;
};

struct GreenContext {
    Context *context = nullptr; // the primary one
    Multiprocessors has;
    bool orphan = false;
};

} // namespace fake
