// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/record.hpp"
#include "backend/host/engine/tiny_lock.hpp"

namespace gs::host {

class IpcEvent;
struct CapturedPoint;
struct Device;

struct EventOptions {
    bool timing = false;
    bool blocking = false;     // host threads sleep at once instead of spinning shortly before
    bool interprocess = false; // may be exported; excludes timing
};

struct alignas(64) Event {
    TinyLock lock;
    std::atomic<uint32_t> live{0}; // Slab
    // nullptr: never recorded; g_done_record; g_captured_record; else one reference. Written with the lock held.
    std::atomic<Record *> record{nullptr};
    uint64_t stamp_ns GS_GUARDED_BY(lock) = 0;             // beside g_done_record, of a timed event
    CapturedPoint *captured GS_GUARDED_BY(lock) = nullptr; // beside g_captured_record; kept until the next one
    Device *device = nullptr;
    EventOptions options;

    std::atomic<IpcEvent *> ipc{nullptr};      // set once, by export or open
    bool opened = false;                       // from another process
    uint64_t ipc_word GS_GUARDED_BY(lock) = 0; // the RecordWord that `record` stands for; 0: none

    Event *slab_next = nullptr;
};

} // namespace gs::host
