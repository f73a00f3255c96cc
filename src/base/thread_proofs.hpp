// SPDX-License-Identifier: Apache-2.0
// What a thread has recorded lately, and up to which of its calls streams are known to be done. Only the thread
// itself reads this; core/event/proofs.hpp says what follows from it. A record for which there is no room is
// forgotten: then the driver is asked.
#pragma once

#include <cstdint>

namespace gs {

struct EventSlot;
struct Device;

struct ThreadProofs {
    static constexpr uint32_t kRecordSets = 64, kStreamSets = 16, kDevices = 4, kJoins = 16;

    struct Record {
        const EventSlot *event;
        uint64_t word; // of the event, which names this record
        uint64_t call; // the number of the call that made it, ThreadBlock::call_seq
    };
    // What the thread submitted to the stream, or to all streams of the device, in calls before this one is done.
    struct StreamDone {
        uint32_t stream; // uid
        uint64_t call;
    };
    struct DeviceDone {
        const Device *device;
        uint64_t call;
    };
    // In that call the stream was made to wait for what the thread had submitted to the other one before other_call.
    struct Join {
        uint32_t stream; // 0: none
        uint32_t other;
        uint64_t call;
        uint64_t other_call;
    };

    // What is known of an event or of a stream is in one of two places.
    Record records[kRecordSets][2];
    StreamDone streams[kStreamSets][2];
    DeviceDone devices[kDevices];
    Join joins[kJoins];
    uint32_t next_join;
    uint64_t newest; // the latest of all calls in streams and devices: no later record is proven
};

} // namespace gs
