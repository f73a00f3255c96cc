// SPDX-License-Identifier: Apache-2.0
// One virtual device of the engine.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/record.hpp"
#include "backend/host/engine/stream_queue.hpp"
#include "base/lock.hpp"

namespace gs::host {

enum class FaultKind : uint32_t { None, Sticky, ContextLost };

struct Fault {
    FaultKind kind = FaultKind::None;
    int32_t code = 0;
    char origin[128] = {};
};

// A host thread that blocks on a record; listed so that a fault makes it check the device's health.
struct HostWait {
    Record *record;
    HostWait *prev = nullptr, *next = nullptr;
};

struct alignas(64) Device {
    std::atomic<uint32_t> health{0}; // a FaultKind
    int32_t ordinal = 0;
    Stream *legacy = nullptr; // made at start, immortal
    RecordPool records;

    // Order of submission among the legacy stream and the blocking streams (submission.hpp).
    TinyLock order;
    Stream *pending GS_GUARDED_BY(order) = nullptr;       // blocking streams with work since the legacy stream's last
    uint64_t legacy_epoch GS_GUARDED_BY(order) = 1;       // counts submissions to the legacy stream
    Record *legacy_marker GS_GUARDED_BY(order) = nullptr; // behind the legacy stream's last work; made on demand
    std::atomic<uint32_t> blocking_captures{0};           // blocking streams being captured

    Mutex list_lock;
    Stream *streams GS_GUARDED_BY(list_lock) = nullptr;

    Mutex fault_lock; // guards the two below
    Fault fault GS_GUARDED_BY(fault_lock);
    HostWait *waits GS_GUARDED_BY(fault_lock) = nullptr;
};

inline Result health_of(const Device &device) noexcept {
    const uint32_t word = device.health.load(std::memory_order_acquire);
    if (word == 0) return Result::Ok;
    return word == static_cast<uint32_t>(FaultKind::Sticky) ? Result::Faulted : Result::ContextLost;
}

// Why the stream's work is dropped; Ok: it runs. A caller that finds a stream idle asks afterwards: dropped work
// leaves the stream idle, too.
inline Result broken(const Stream &stream) noexcept {
    const Result health = health_of(*stream.device);
    return health != Result::Ok ? health : stream.failure.load(std::memory_order_acquire);
}

} // namespace gs::host
