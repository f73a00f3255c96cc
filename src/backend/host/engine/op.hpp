// SPDX-License-Identifier: Apache-2.0
// One piece of work in a stream's queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_layout.hpp"

namespace gs::host {

// Stream memory operations: what a stream waits for in a word of memory, and what it writes there.
enum class WordTest : uint8_t { Geq, Eq, And, Nor };

struct WordWait {
    const void *address;
    uint64_t value;
    WordTest test;
    uint8_t bytes; // 4 or 8
};

struct WordWrite {
    void *address;
    uint64_t value;
    uint8_t bytes;
};

// Sequentially consistent, as is write_word(): see WordWaits.
inline bool is_met(const WordWait &wait) noexcept {
    const bool wide = wait.bytes == 8;
    const uint64_t word = wide ? __atomic_load_n(static_cast<const uint64_t *>(wait.address), __ATOMIC_SEQ_CST)
                               : __atomic_load_n(static_cast<const uint32_t *>(wait.address), __ATOMIC_SEQ_CST);
    switch (wait.test) {
    case WordTest::Geq:
        return wide ? static_cast<int64_t>(word - wait.value) >= 0 : static_cast<int32_t>(word - wait.value) >= 0;
    case WordTest::Eq: return word == wait.value;
    case WordTest::And: return (word & wait.value) != 0;
    case WordTest::Nor: break;
    }
    return (wide ? ~(word | wait.value) : ~static_cast<uint32_t>(word | wait.value)) != 0;
}

inline void write_word(const WordWrite &write) noexcept {
    if (write.bytes == 8)
        __atomic_store_n(static_cast<uint64_t *>(write.address), write.value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(static_cast<uint32_t *>(write.address), static_cast<uint32_t>(write.value), __ATOMIC_SEQ_CST);
}

class Record;
struct LaneUse;
struct Stream;
struct Branch;

// Code to run on a worker. Exactly one of two things happens: run(arg) then drop(arg), or drop(arg) alone because the
// work was dropped (faulted device, lost peer). drop may be null. In a graph the task runs at each launch, and
// drop(arg) follows the last run. With `copy` each run has an argument of its own, which copy(arg) makes and which is
// dropped after the run.
struct Task {
    void (*run)(void *arg);
    void (*drop)(void *arg);
    void *arg;
    void *(*copy)(const void *arg) = nullptr; // nullptr returned: memory is out
    // Of a kernel that calls Engine::trigger() or wait_for_earlier(): called ahead of run(arg) with the stream to name there.
    void (*start)(void *arg, Stream &stream) = nullptr;
};

struct Copy {
    void *dst;
    const void *src;
    size_t bytes;
};

struct Fill {
    void *dst;
    size_t bytes;
    uint32_t value;   // its lowest `element` bytes
    uint32_t element; // bytes: 1, 2 or 4
};

struct IpcMarker {
    Record *record;  // one reference
    LaneUse *lane;   // pending records keep it in the stream's list
    uint64_t number; // of the record in the lane
};

struct LateFault {
    const char *origin; // static text
    int32_t code;
};

struct Op {
    enum class Kind : uint8_t {
        Marker,
        Wait,
        Task,
        Copy,
        Fill,
        Sleep,
        Free,
        IpcMarker,
        IpcWait,
        Fault,
        Branch,
        WordWrite,
        WordWait
    };

    Op *next = nullptr;
    Kind kind = Kind::Marker;
    bool armed = false;         // Sleep: the timer was set; IpcWait: the watcher has answered; WordWait: it was met
    bool first = false;         // of a launch in a lane: a peer that was lost before is of no concern
    bool early = false;         // Task, Marker: need not wait for the end of a kernel directly ahead (engine.cpp)
    bool timed = false;         // Marker: takes a time stamp, which costs as much as all other work of a record
    Result answer = Result::Ok; // IpcWait: the watcher's answer
    union {
        Record *record; // Marker, Wait: one reference
        Task task;
        Copy copy;
        Fill fill;
        uint64_t delay_ns;     // Sleep
        void *pointer;         // Free
        IpcMarker ipc_marker;  // IpcMarker
        IpcTicket ticket;      // IpcWait
        LateFault fault;       // Fault
        WordWrite word_write;  // WordWrite
        WordWait word_wait;    // WordWait
        struct Branch *branch; // Branch
    };

    Op() noexcept : record(nullptr) {}
    explicit Op(Kind k) noexcept : kind(k), record(nullptr) {}
};

} // namespace gs::host
