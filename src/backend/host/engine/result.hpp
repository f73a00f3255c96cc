// SPDX-License-Identifier: Apache-2.0
// What an operation of the host engine returns. The numbers have no meaning outside this process.
#pragma once

#include <cstdint>

namespace gs::host {

enum class [[nodiscard]] Result : int32_t {
    Ok,
    NotReady,       // a query: pending; elapsed: one of the two records is pending
    InvalidValue,   // an argument is out of its range, a pointer is not one of ours
    NotRecorded,    // elapsed: an event without a record
    TimingDisabled, // elapsed: an event without time stamps
    OutOfMemory,
    NoRoom,             // memory outside of the process is exhausted; the pending record says which
    System,             // a system call failed; the thread's pending record (base/status.hpp) says which and why
    Faulted,            // the device is latched by a sticky fault: Engine::fault() returns code and origin
    ContextLost,        // the device is latched as reset
    StreamCapturing,    // the stream is being captured and the call may not touch it (CUDA 900)
    CaptureInvalidated, // the capture was broken by an earlier call (901)
    CaptureMerge,       // a wait would join two captures (902)
    CaptureUnmatched,   // capture_end on a stream that has joined a capture (903)
    CaptureUnjoined,    // a stream of the capture was not joined to the one where it began (904)
    CaptureIsolation,   // a captured stream would wait for work outside of its capture (905)
    CaptureImplicit,    // the default stream is used while a blocking stream of the device is captured (906)
    CapturedEvent,      // the event was last recorded in a capture (907)
    CaptureThread,      // a capture that is not relaxed is ended by another thread (908)
    CaptureEnded,       // the event was last recorded in a capture that has ended or was broken
    HasExecutable,      // a graph with memory or conditions has an executable already
    MemoryLeft,         // a launch would allocate again what is still allocated
    NothingToFree,      // a launch would free memory that is not allocated
    GraphChanged,       // an update of another shape (910)
    NotCapturing,       // capture_end on a stream that is not being captured (401)
    NotSupported,       // an interprocess handle of this very process, a wrapped or opened event to export
    InterprocessRecord, // a graph cannot record an interprocess event
    NotAHandle,         // the bytes are no interprocess handle
    WrongDevice,        // an interprocess handle of another device
    PeerLost,           // the process that made the record is gone
};

} // namespace gs::host
