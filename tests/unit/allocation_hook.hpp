// SPDX-License-Identifier: Apache-2.0
// Fails allocations made by operator new, in the executable that links allocation_hook.cpp.
#pragma once

#include <cstdint>

namespace gs::test {

// The n-th allocation from now on fails, once (persistent: and all later ones). 0: none.
void fail_allocation(uint64_t n, bool persistent) noexcept;
// Memory is there again; what allocation_failed says stays.
void stop_failing() noexcept;
// Whether one has failed since fail_allocation.
bool allocation_failed() noexcept;
// Blocks allocated and not freed.
int64_t live_allocations() noexcept;

} // namespace gs::test
