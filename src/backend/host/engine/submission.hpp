// SPDX-License-Identifier: Apache-2.0
// One submission to a stream. It checks whether the submission is allowed, and joins the legacy order where it
// applies. Then it holds the stream's lock: the caller does the work in place (the stream is idle) or queues it.
#pragma once

#include <utility>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/result.hpp"
#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/virtual_device.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {

// The implicit order of the legacy default stream: its work waits for all earlier work of blocking streams, and their
// later work waits for it (CUDA, "Stream synchronization behavior").
//
// Every submission to the legacy stream or to a blocking stream happens with Device::order held, which makes one order
// of them. Cost is constant per submission on average: a stream enters the device's pending list once per join.
class LegacyJoin {
public:
    // The record that a submission to this stream of the device has to wait for first, with a reference. One at a
    // time; nullptr: that was the last. The caller holds no stream's lock; it calls confirm() once the wait is
    // queued.
    static Result next_dependency(Device &device, Stream &stream, Record **out) noexcept GS_REQUIRES(device.order);
    static void confirm(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);
    // Work was submitted and is pending.
    static void submitted(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);
    // Is a blocking stream of the device busy with work that the legacy stream has not joined? Forgets idle ones.
    static bool pending_work(Device &device) noexcept GS_REQUIRES(device.order);
    static void unlink(Device &device, Stream &stream) noexcept GS_REQUIRES(device.order);

private:
    static Result behind_legacy(Device &device, Stream &stream, Record **out) noexcept GS_REQUIRES(device.order);
    static Result behind_pending(Device &device, Record **out) noexcept GS_REQUIRES(device.order);
};

// Operations on their way into a stream's queue. Moving them there cannot fail.
class Chain {
public:
    Chain() noexcept = default;
    Chain(Chain &&other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
    Chain &operator=(Chain &&) = delete;
    Chain(const Chain &) = delete;
    Chain &operator=(const Chain &) = delete;
    ~Chain(); // drops what was not moved

    bool empty() const noexcept { return first_ == nullptr; }
    void mark_first() noexcept { first_->first = true; } // of one that is not empty
    // Throws bad_alloc; the caller then still owns what the op refers to.
    void add(const Op &op);
    // With a reference of its own.
    void add_wait(Record &record);
    void add_marker(Record &record, bool timed);
    // Appends all of it to the queue. A stream that was idle has to be started then.
    void move_to(Stream &stream) noexcept GS_REQUIRES(stream.lock);

private:
    Op *first_ = nullptr, *last_ = nullptr;
};

class Chain;

class Submission {
public:
    Submission(Engine &engine, Stream &stream) noexcept GS_UNANALYSED;
    ~Submission() noexcept GS_UNANALYSED;
    Submission(const Submission &) = delete;
    Submission &operator=(const Submission &) = delete;

    // Anything but Ok: nothing may be submitted. The lock is held only if Ok.
    Result status() const noexcept { return status_; }
    // The stream is being captured: the work belongs to the graph and is not executed.
    bool captured() const noexcept { return capture_ != 0; }
    uint64_t capture() const noexcept { return capture_; }
    // The stream is idle: the work may be done in place, if it is short and not a function of the user.
    bool idle() const noexcept { return stream_.busy.load(std::memory_order_relaxed) == 0; }
    // Queues it; starts the stream if it was idle. On failure the caller still owns what the op refers to.
    Result push(const Op &op) noexcept GS_UNANALYSED;
    // All of it or nothing. The engine's threads have been started.
    void push_all(Chain &chain) noexcept GS_UNANALYSED;
    // The stream's lane for a record of an interprocess event (ipc_arena.hpp).
    LaneUse *lane(IpcArena &arena, Result *out_result) noexcept GS_UNANALYSED {
        return lane_for(stream_.lanes, arena, out_result);
    }
    void settle(LaneUse &lane) noexcept GS_UNANALYSED { settle_lane(stream_.lanes, lane); }
    // Work done in place ends now.
    uint64_t stamp() noexcept GS_UNANALYSED { return next_stamp(stream_); }

private:
    Result join() noexcept GS_UNANALYSED;

    Engine &engine_;
    Stream &stream_;
    Result status_ = Result::Ok;
    uint64_t capture_ = 0;
    bool ordered_ = false; // Device::order is held
    bool locked_ = false;
    bool pushed_ = false;
};

template <typename Live, typename Captured>
Result Engine::submit(Stream &stream, Live &&live, Captured &&captured) noexcept {
    for (;;) {
        Result result;
        {
            Submission submission(*this, stream);
            result = submission.status();
            if (result == Result::Ok && !submission.captured()) return live(submission);
        }
        if (result != Result::Ok) return refuse(stream, result);
        result = captured();
        if (result != Result::NotCapturing) return result; // else the capture has just ended
    }
}

} // namespace gs::host
