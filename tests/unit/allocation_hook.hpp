// SPDX-License-Identifier: Apache-2.0
// Fails allocations made by operator new, in the executable that links allocation_hook.cpp.
#pragma once

#include <cstdint>

namespace gs::test {

// Makes the n-th allocation from now on fail, once (persistent: and all later ones). 0: none.
void fail_allocation(uint64_t n, bool persistent) noexcept;
// Allocations succeed again; the result of allocation_failed is kept.
void stop_failing() noexcept;
// Whether one has failed since fail_allocation.
bool allocation_failed() noexcept;
// Blocks allocated and not freed.
int64_t live_allocations() noexcept;

} // namespace gs::test
