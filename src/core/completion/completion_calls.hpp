// SPDX-License-Identifier: Apache-2.0
// What calls ask of completion: deferred calls, waits of the host, and what graphs keep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/graphs.hpp"
#include "base/clock.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "core/completion/pace.hpp"
#include "core/slots.hpp"

namespace gs {

// Deferred calls: functions that run some time after the work of a stream so far is done. They are collected in a batch per
// stream, which costs one record.

// Of a stream that is being captured: its graph keeps the function, or it runs after the work that the stream has outside
// of captures, once the capture has ended.
enum class InCapture : bool { Keep, Outlast };

// Runs under the caller's CallMark.
Status defer(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg,
             InCapture in_capture = InCapture::Keep) noexcept;

// The blocking calls with a limit, and those without one in the wait modes that are not the driver's. timeout_ns negative: no
// limit.
Status synchronize_stream_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_event_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_device_for(ThreadBlock &thread, Device &device, int64_t timeout_ns) noexcept;
// out_index: nullptr for all of them.
Status synchronize_events(ThreadBlock &thread, const gs_event_t *events, size_t count, int64_t timeout_ns,
                          size_t *out_index) noexcept;

// What lives as long as a graph, its executables and their launches.
//
// The driver says that they have ended on a thread of its own, where nothing may call it, and where the caller's function
// would hold up the driver. So the release runs on the dispatcher. As with host functions (host_call.hpp) the driver
// gets a number in place of a pointer. After a failure the driver may use the number late, which then does nothing.

// `graph` is the driver's; no other call on it may be in progress. OK: release(arg) is called once. Otherwise never.
Status keep_for_graph(ThreadBlock &thread, Graphs &graphs, uintptr_t graph, void (*release)(void *),
                      void *arg) noexcept;
// The same for the graph that the stream is captured into. *out_kept is false if the stream is outside of captures,
// also if its capture has just ended; release is then never called. NOT_SUPPORTED: the capture is broken, or the driver
// keeps nothing for graphs.
Status keep_in_capture(ThreadBlock &thread, StreamSlot &stream, void (*release)(void *), void *arg,
                       bool *out_kept) noexcept;

// The dispatcher calls the function when the stream's work so far is done. Runs under the caller's CallMark.
Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept;

// The dispatcher: the thread on which release functions of the application run that were given to gs_graph_keep(). They may
// take any lock (an interpreter's, say), and hold up each other, but neither a stream nor a thread of the driver.

struct DispatchedCall {
    void (*run)(DispatchedCall &call) noexcept = nullptr; // takes the call over
    DispatchedCall *next = nullptr;
};

// Starts its thread if it does not run yet.
Status start_dispatcher() noexcept;
// The dispatcher runs. Calls run in the order in which they come.
void dispatch(DispatchedCall &call) noexcept;

// How a thread passes the time between two questions: sleeping, spinning or both, with a limit.

struct Limit {
    int64_t timeout_ns; // negative: none
    int32_t mode;       // GS_WAIT_*, but GS_WAIT_DRIVER counts as GS_WAIT_ADAPTIVE
};

// The kernel may delay a thread's timers by its slack, 50 us by default, which is longer than most naps.
class ExactTimers {
public:
    ExactTimers() noexcept = default;
    ~ExactTimers();
    ExactTimers(const ExactTimers &) = delete;
    ExactTimers &operator=(const ExactTimers &) = delete;

    void use() noexcept;

private:
    int before_ = 0;
};

class Waiter {
public:
    Waiter(ThreadBlock &thread, Limit limit) noexcept : thread_(thread), limit_(limit) {}

    // Between two questions. False: the time is over. told: the thread's signal changes when one of the events is complete.
    bool pass(const Learner::Window &window, bool told, uint32_t signal) noexcept;
    // The same where there is nothing to ask: sleeps in every mode, until the signal changes.
    static constexpr uint64_t kLongestRestNs = 20'000'000; // a device that fails completes nothing
    bool rest(uint32_t signal, uint64_t longest_ns = kLongestRestNs) noexcept;
    uint64_t elapsed_ns() const noexcept { return monotonic_ns() - begin_ns_; }

private:
    bool is_over(uint64_t elapsed) const noexcept {
        return limit_.timeout_ns >= 0 && elapsed >= static_cast<uint64_t>(limit_.timeout_ns);
    }
    bool spins(const Learner::Window &window, uint64_t elapsed) noexcept;
    void nap(uint64_t elapsed) noexcept;
    void sleep(uint64_t elapsed, uint64_t ns, uint32_t signal) noexcept;

    ThreadBlock &thread_;
    const Limit limit_;
    const uint64_t begin_ns_ = monotonic_ns();
    uint64_t asked_ns_ = 0; // when the last pass ended
    bool spun_last_ = false;
    uint64_t spun_ns_ = 0;
    uint64_t sleep_ns_ = 0;
    ExactTimers timers_;
};

// Waiting on the calling thread for driver events that no other code records: sleeping, spinning or both, with a limit.

struct Awaited {
    Device *device = nullptr;
    uintptr_t event = 0; // 0: complete
};

// TIMEOUT without a text. The first failure ends the wait.
Status await_all(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit) noexcept;
// *out_index: the first one that is complete or failed.
Status await_any(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit, size_t *out_index) noexcept;

} // namespace gs
