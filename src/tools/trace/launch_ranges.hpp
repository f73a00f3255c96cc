// SPDX-License-Identifier: Apache-2.0
// Names of executable graphs for a tool of NVTX. The protocol can name streams and events of the driver, but no graphs. So each launch
// of one that has a name is inside a range of the thread with that name, in which the tool has the driver's call.
#pragma once

#include <cstdint>

namespace gs::trace {

// It was made now. Asks for the tool if it has a name: called with no lock held.
void tell_launches_of(uint64_t exec) noexcept;

// Around a launch, with no lock held: the tool is foreign code. Only calls in a rare state make one.
class LaunchRange {
public:
    explicit LaunchRange(uint64_t exec) noexcept;
    ~LaunchRange();
    LaunchRange(const LaunchRange &) = delete;
    LaunchRange &operator=(const LaunchRange &) = delete;

private:
    bool told_ = false;
};

} // namespace gs::trace
