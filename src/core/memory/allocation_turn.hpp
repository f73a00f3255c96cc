// SPDX-License-Identifier: Apache-2.0
// An allocation that finds no room below its pool's limit while others are giving some back is made again a moment later: other
// threads may be in the driver with it, and what streams keep that have ended is given back once all threads have left the calls
// that they were in. That includes the allocation, so the attempts are separate calls, with no mark between them.
#pragma once

#include <cstdint>

namespace gs {

// The first attempt has no turn, so that it costs nothing there: it is put off at once.
class AllocationTurn {
public:
    // To be made again: the attempt returns kOk and no memory. False: that was done for long enough.
    bool put_off() noexcept;
    // After each attempt, without a mark: is there to be another one? Waits for its turn.
    bool again() noexcept;

    bool gave_back = false; // what streams kept, in any attempt

private:
    bool again_ = false;
    int attempts_ = 0;      // that were put off
    uint64_t first_ns_ = 0; // the first of them
};

} // namespace gs
