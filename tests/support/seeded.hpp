// SPDX-License-Identifier: Apache-2.0
// Switches a seeded bug on while it lives.
#pragma once

#include "support/seeded_bug.hpp"

namespace gs::testing {

class Seeded {
public:
    explicit Seeded(SeededBug bug) { seeded_bug = bug; }
    ~Seeded() { seeded_bug = SeededBug::None; }
    Seeded(const Seeded &) = delete;
    Seeded &operator=(const Seeded &) = delete;
};

} // namespace gs::testing
