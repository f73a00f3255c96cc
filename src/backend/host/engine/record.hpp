// SPDX-License-Identifier: Apache-2.0
// Record: one point in one stream, made by one call of event_record (or by a synchronisation). It changes only by
// becoming complete; an event refers to the record made last. So later changes of the event do not affect a wait that
// is bound to a record.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"

namespace gs::host {

struct Stream;
class RecordPool;

class Record {
public:
    // For constant records; pooled ones come from RecordPool.
    constexpr Record() noexcept = default;
    explicit constexpr Record(uint32_t state) noexcept : state_(state) {}

    static constexpr uint32_t kDone = 1, kFailed = 2, kSleepers = 4, kPoke = 8; // the bits above count pokes

    void retain() noexcept { refs_.retain(); }
    void release() noexcept; // the last reference returns it to its pool

    bool done() const noexcept { return (state_.load(std::memory_order_acquire) & kDone) != 0; }
    // Ok unless the work before it was dropped. Only of a done record.
    Result outcome() const noexcept {
        return (state_.load(std::memory_order_acquire) & kFailed) != 0 ? outcome_ : Result::Ok;
    }
    uint64_t stamp_ns() const noexcept { return stamp_ns_; } // of a done record

    // The stream, whose run token the caller holds, is to be continued when the record completes. False: it is done
    // already, the caller keeps the token. After true the caller must not touch the stream.
    bool park(Stream &stream) noexcept;
    // Completes it, wakes host threads, and returns the parked streams, linked by Stream::link, oldest first.
    Stream *complete(Result outcome, uint64_t stamp_ns) noexcept;

    // Blocks until done, or until pokes() is no longer `seen`.
    void wait(uint32_t seen) noexcept;
    uint32_t pokes() const noexcept { return state_.load(std::memory_order_acquire) / kPoke; }
    // Makes wait() return although the record is pending, because something else changed that the waiters must check.
    void poke() noexcept;
    // Spins for a short, bounded time; true if it is done.
    bool spin() const noexcept;

    // ring(word) once it is done, also if it is done already. False: no memory.
    bool signal(std::atomic<uint32_t> &word) noexcept;
    static void ring(std::atomic<uint32_t> &word) noexcept;

    Record *chain = nullptr; // free list of the pool, or a list of the only thread that uses the record

private:
    friend class RecordPool;
    // A word to ring. Of a done record the list is closed.
    struct Signal {
        std::atomic<uint32_t> *word;
        Signal *next;
    };
    static Signal *no_more() noexcept;
    RefCount refs_;
    std::atomic<uint32_t> state_{0};
    std::atomic<Stream *> parked_{nullptr};
    std::atomic<Signal *> signals_{nullptr};
    Result outcome_{Result::Ok};
    uint64_t stamp_ns_ = 0;
    RecordPool *pool_ = nullptr;
};

// Stand for the last record of an event: it was seen complete, or it was made in a capture.
extern Record g_done_record;
extern Record g_captured_record;

class RecordPool {
public:
    Record *take() noexcept; // one reference; nullptr when memory is out

private:
    friend class Record;
    void give_back(Record *record) noexcept;
    TinyLock lock_;
    FreeList<Record, &Record::chain> free_ GS_GUARDED_BY(lock_);
};

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
    std::atomic<Record *> end{
        nullptr}; // beside an early record: of the end of its kernel, one reference; written like `record`
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
