// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gs::host {

class IpcEvent;

// A state of an interprocess event that a stream waits for.
struct IpcTicket {
    IpcEvent *event; // one reference
    uint64_t generation;
    uint32_t recorder; // slot of the process that made this record
    uint64_t recorder_check;
};

} // namespace gs::host
