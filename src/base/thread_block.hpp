// SPDX-License-Identifier: Apache-2.0
// ThreadBlock: everything the library keeps per OS thread, behind one POD thread-local pointer.
//
// The memory of blocks stays: the reclaimer (handle/grace.hpp) and gs_get_stats walk the list of all blocks, and take
// no lock for it. A new thread reuses the block of a thread that has ended; its counters continue.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "gpustream.h"

namespace gs {

// Per-thread statistics. Only the owning thread writes, with plain stores; gs_get_stats sums over all threads.
#define GS_COUNTERS(X)                                                                                                 \
    X(driver_calls)                                                                                                    \
    X(records)                                                                                                         \
    X(waits)                                                                                                           \
    X(queries)                                                                                                         \
    X(synchronizes)                                                                                                    \
    X(elided_waits)                                                                                                    \
    X(elided_queries)                                                                                                  \
    X(elided_synchronizes)                                                                                             \
    X(events_created)                                                                                                  \
    X(event_pool_hits)                                                                                                 \
    X(event_pool_misses) X(streams_created) X(stream_pool_hits) X(stream_pool_misses) X(notifications) X(reclaim_rounds)

class Counter {
public:
    void add(uint64_t n = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> value_{0};
};

struct Counters {
#define GS_X(name) Counter name;
    GS_COUNTERS(GS_X)
#undef GS_X
};

// No device is involved yet, and 0 is the number of one.
constexpr gs_error_info_t no_error() noexcept {
    gs_error_info_t record{};
    record.struct_size = sizeof record;
    record.device = GS_DEVICE_NONE;
    return record;
}

struct CoreThread; // core/thread/thread_state.hpp: current device, current streams, scopes, spare objects

class LaterMessages;
class LogRing;    // tools/recorder/log_ring.hpp
class OpenRanges; // core/open_ranges.hpp

// Why a call that would wait is refused. All but the second say that the thread runs a function that others wait for.
enum MayNotBlock : uint8_t {
    kDispatching = 1,   // the dispatcher of notifications and deferred functions, which run one after the other
    kSyncForbidden = 2, // GS_FORBID_SYNC: the program wants none
    kServing = 4,       // GS_FORBID_AS_NOTIFICATION: a language's functions run here one after the other
    kHolding = 8,       // GS_FORBID_AS_HOST_FUNCTION: a stream waits for the function
    kInBridge = 16,     // a function of a bridge, which gs_bridge_unregister() waits for
    kInitializing = 32, // a function of gs_call_on_init(), which the first calls of other threads wait for
};

struct alignas(64) ThreadBlock {
    // Odd while this thread is inside a call (handle/grace.hpp).
    std::atomic<uint64_t> call_seq{0};
    uint32_t id = 0;                 // from 1, unique among live threads; stays with the block
    int32_t callback_depth = 0;      // > 0 inside a host function of gs_stream_launch_host
    uint32_t open_ranges = 0;        // begun by gs_range_push
    bool in_listener = false;        // inside the function that hears of operations
    uint8_t may_not_block = 0;       // MayNotBlock: why a call that would wait is refused
    uintptr_t sync_forbidden_by = 0; // the code that called gs_forbid_sync(1)
    bool is_library = false;         // a thread of the library
    bool is_main = false;            // the thread that runs main(), or called fork()
    uint64_t serial = 0;             // unique for the life of the process
    uint64_t os_id = 0;              // see os_id(); 0: not asked yet
    CoreThread *core = nullptr;
    std::atomic<LogRing *> log{nullptr};
    std::atomic<OpenRanges *> ranges{nullptr}; // kept with the block
    uint64_t *open_regions =
        nullptr; // one for each range that may be open, see tools/trace/regions.cpp; kept with the block
    Counters counters;

    gs_error_info_t pending = no_error(); // detail of a failure still inside the library
    gs_error_info_t last = no_error();    // returned by gs_last_error
    LaterMessages *later = nullptr;       // keeps what the thread logs (base/log.hpp)
    const char *not_ready = nullptr;      // the function that has returned NOT_READY since that failure

    uint64_t timed_out = 0;          // the object of the last wait with a limit, if it timed out (core/sync_debug.hpp)
    uint64_t capturing_stream = 0;   // of the last call that looked out for captures: which one a failure is about
    std::atomic<uint32_t> signal{0}; // changes when something that this thread may be waiting for has happened

    char *text = nullptr; // text returned to this thread (malloc), valid until its next such call

    bool listed = false; // false: started by the child of a bad fork; freed when the thread ends
    std::atomic<bool> in_use{false};
    std::atomic<ThreadBlock *> next{nullptr}; // list of all blocks, append only, walked without a lock
};

#if defined(GPUSTREAM_TOOLS_LIBRARY)
ThreadBlock *present_block() noexcept;
#define t_block present_block() // of the core (base/core_data.hpp)
#else
extern __thread ThreadBlock *t_block __attribute__((visibility("hidden")));
inline ThreadBlock *present_block() noexcept { return t_block; }
#endif

// nullptr only when memory is out; gs_last_error then returns a static record.
ThreadBlock *attach_thread() noexcept __attribute__((cold));

inline ThreadBlock *this_thread() noexcept {
    ThreadBlock *block = t_block;
    return block != nullptr ? block : attach_thread();
}

// For a thread that the library is about to start: such a thread always has a block. nullptr: memory is out.
ThreadBlock *reserve_block() noexcept;
void return_block(ThreadBlock &block) noexcept; // the thread was not started
void adopt_block(ThreadBlock &block) noexcept;  // called on the new thread

// While it lives, the calling thread is inside a function of the application that may not call devices. This holds even if
// the thread has no block because memory is out, and gets one in that function.
class InsideCallback {
public:
    InsideCallback() noexcept;
    ~InsideCallback();
    InsideCallback(const InsideCallback &) = delete;
    InsideCallback &operator=(const InsideCallback &) = delete;

private:
    friend int32_t callback_depth_without_block() noexcept;
    ThreadBlock *const thread_;
    pid_t id_ = 0; // with thread_ == nullptr
    InsideCallback *next_ = nullptr;
};

ThreadBlock *all_thread_blocks() noexcept; // head of the list; follow next
bool attach_failed() noexcept;             // some thread got no block because memory was out

// Installs the fork handlers, as the first attach does. Returns false when the system refuses.
bool guard_threads_in_fork() noexcept;

// The operating system's number of the calling thread, to which the block belongs. The system is asked once, since a
// system call takes as long as a few calls of a driver.
uint64_t os_id(ThreadBlock &thread) noexcept;

// Is the thread with this serial number attached and running?
bool thread_lives(uint64_t serial) noexcept;

// What the library has seen of the process's main thread. It sees the end only if that thread calls pthread_exit().
enum class MainThreadCall { None, Attached, Ended };
MainThreadCall main_thread_call() noexcept;
// Once that is Ended: the signals that the main thread blocked, bit 0 for signal 1. Its last destructors may block
// further signals without the program's will: AddressSanitizer blocks them all.
uint64_t main_thread_mask() noexcept;
// How many threads of the program are attached. A thread that is ending does not count when its exit hooks run.
int32_t attached_threads() noexcept;

// Runs hook on every exiting thread, newest hook first. It must not call a driver. At most 8 hooks; returns false when
// there are more.
bool add_thread_exit_hook(void (*hook)(ThreadBlock &)) noexcept;

// Which threads of the process are the library's own.

// An entry of the list. It lives as long as the process, since other threads may walk the list at any time.
struct OwnThread {
    std::atomic<pid_t> id{0}; // 0: ended
    OwnThread *next = nullptr;
};

// Called on the thread, when it begins and when it ends.
void enter_own_thread(OwnThread &thread) noexcept;
void leave_own_thread(OwnThread &thread) noexcept;

// How many of them run. A new thread counts a moment after its start.
uint32_t running_threads() noexcept;
// Returns true on one of them.
bool is_library_thread() noexcept;

} // namespace gs
