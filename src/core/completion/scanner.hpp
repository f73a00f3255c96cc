// SPDX-License-Identifier: Apache-2.0
// The scanner: one thread that finds out which points are reached, and tells in an order that agrees with happens-before.
// See docs/design/completion.md.
#pragma once

#include "core/completion/point.hpp"

namespace gs {

// Starts the scanner's thread if it does not run yet.
Status start_scanner() noexcept;

// The scanner runs, and point.event was recorded by this thread. Takes the point over.
void watch_point(Point &point) noexcept;

// How often the scanner's thread has woken up, and how often a thread that added a point has woken it. For tests.
uint64_t scanner_turns() noexcept;
uint64_t scanner_wakes() noexcept;

} // namespace gs
