// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gs::host {

class IpcArena;

// One record of an interprocess event, for a wait.
struct IpcTicket {
    IpcArena *arena; // the ticket in a queue holds a reference
    uint64_t word;   // RecordWord
    uint64_t owner;  // IpcLane::owner at that time
};

} // namespace gs::host
