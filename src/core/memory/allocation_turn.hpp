// SPDX-License-Identifier: Apache-2.0
// An allocation that finds no room below its pool's limit while others are giving some back is made again a moment later: other
// threads may be in the driver with it, and what streams keep that have ended is given back once all threads have left the calls
// that they were in. That includes the allocation, so the attempts are separate calls, with no mark between them.
#pragma once

#include <cstdint>

namespace gs {

class AllocationTurn {
public:
    // To be made again: the attempt returns kOk and no memory. False: that was done for long enough.
    bool put_off() noexcept __attribute__((cold));
    // After each attempt, without a mark: is there to be another one? Waits for its turn.
    bool again() noexcept { return __builtin_expect(again_, 0) && wait(); }

    bool gave_back = false; // what streams kept, in any attempt

private:
    bool wait() noexcept __attribute__((cold));

    bool again_ = false;
    int attempts_ = 0;      // that were put off
    uint64_t first_ns_ = 0; // the first of them
};

} // namespace gs
