// SPDX-License-Identifier: Apache-2.0
#include "tools/check/stream_order.hpp"

#include <atomic>

namespace gs::check {
namespace {

// Callers keep these numbers beyond the checker's end: no later run gives them out again.
std::atomic<uint64_t> g_last_handover{0};

} // namespace

StreamLine &Order::stream(const StreamFacts &facts) {
    if (const auto found = streams_.find(facts.key); found != streams_.end()) {
        found->second->facts.handle = facts.handle;
        return *found->second;
    }
    DeviceOrder &device = devices_[facts.device];
    device.streams.reserve(device.streams.size() + 1);
    auto made = std::make_unique<StreamLine>();
    made->facts = facts;
    StreamLine &line = *streams_.emplace(facts.key, std::move(made)).first->second;
    const Lines::Start start = lines_.begin();
    line.line = start.line;
    line.epoch = line.first = start.epoch;
    line.clock.set(line.line, line.epoch);
    device.streams.push_back(&line);
    if (facts.legacy) device.legacy = &line;
    return line;
}

ThreadLine &Order::thread(uint64_t serial) {
    const auto [found, made] = threads_.try_emplace(serial);
    ThreadLine &thread = found->second;
    if (made) {
        thread.serial = serial;
        for (const auto &[other, line] : threads_) thread.clock.merge(line.clock);
    }
    if (made || thread.seen_ended != ends_) learn_ended(thread);
    if (thread.clock.settle()) ++thread.version;
    return thread;
}

void Order::learn_ended(ThreadLine &thread) {
    know(thread, ended_threads_);
    thread.seen_ended = ends_;
}

void Order::end_stream(const StreamKey &key) {
    const auto found = streams_.find(key);
    if (found == streams_.end()) return;
    StreamLine &line = *found->second;
    DeviceOrder &device = devices_[line.facts.device];
    device.ended.merge(line.clock);
    if (line.facts.blocking) device.blocking_ended.merge(line.clock);
    std::erase(device.streams, &line);
    lines_.end(line.line, line.epoch);
    streams_.erase(found);
}

void Order::end_thread(uint64_t serial) {
    for (auto next = streams_.begin(); next != streams_.end();) {
        const StreamKey key = next++->first;
        if (key.thread == serial) end_stream(key);
    }
    const auto found = threads_.find(serial);
    if (found == threads_.end()) return;
    ended_threads_.merge(found->second.clock);
    ++ends_;
    if (found->second.has_line) lines_.end(found->second.line, found->second.epoch);
    threads_.erase(found);
}

// Work in the default stream comes after all that blocking streams have so far.
void Order::join_blocking(StreamLine &legacy) {
    DeviceOrder &device = devices_[legacy.facts.device];
    for (StreamLine *other : device.streams) {
        if (other == &legacy || !other->facts.blocking || other->joined == other->submissions) continue;
        give(legacy.clock, *other);
        other->joined = other->submissions;
    }
    legacy.clock.merge(device.blocking_ended);
}

void Order::submit(ThreadLine &thread, StreamLine &stream) {
    ++stream.submissions;
    if (stream.seen_thread != thread.serial || stream.seen_version != thread.version) {
        stream.clock.merge(thread.clock);
        stream.seen_thread = thread.serial;
        stream.seen_version = thread.version;
    }
    join_default(stream);
    stream.clock.settle();
}

void Order::join_default(StreamLine &stream) {
    if (stream.facts.legacy) {
        join_blocking(stream);
    } else if (stream.facts.blocking) {
        StreamLine *legacy = devices_[stream.facts.device].legacy;
        if (!legacy || legacy->submissions == stream.joined_legacy) return;
        give(stream.clock, *legacy);
        stream.joined_legacy = legacy->submissions;
    }
}

void Order::record(ThreadLine &thread, StreamLine &stream, uint64_t event, bool foreign) {
    submit(thread, stream);
    events_[event] = stream.clock;
    early_.erase(event);
    if (foreign) foreign_.merge(stream.clock);
    advance(stream);
}

void Order::record_early(ThreadLine &thread, StreamLine &stream, uint64_t event) {
    record(thread, stream, event, false);
    early_[event] = stream.facts.key;
}

void Order::share_event(uint64_t event) {
    if (const VectorClock *record = record_of(event)) foreign_.merge(*record);
}

void Order::wait(ThreadLine &thread, StreamLine &stream, uint64_t event, bool foreign) {
    const VectorClock *record = record_of(event);
    if (!record && !foreign) return; // never recorded, or before the checker's start
    submit(thread, stream);
    if (record) stream.clock.merge(*record);
    if (foreign) stream.clock.merge(foreign_);
    if (const auto early = early_.find(event); early != early_.end()) {
        const auto kernels = streams_.find(early->second);
        if (kernels != streams_.end() && kernels->second.get() != &stream) give(stream.clock, *kernels->second);
    }
    stream.clock.settle();
}

void Order::wait_stream(ThreadLine &thread, StreamLine &stream, StreamLine &other) {
    if (&stream == &other) return;
    submit(thread, other);
    submit(thread, stream);
    give(stream.clock, other);
}

void Order::pass_foreign(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    stream.clock.merge(foreign_);
    give(foreign_, stream);
}

void Order::know(ThreadLine &thread, const VectorClock &clock) {
    thread.clock.merge(clock);
    thread.clock.settle();
    ++thread.version;
}

// The default stream is done only when what work in it would wait for is done; but nothing is submitted to it.
void Order::know_stream(ThreadLine &thread, StreamLine &stream) {
    pass_waits(thread, stream);
    if (stream.facts.legacy) {
        DeviceOrder &device = devices_[stream.facts.device];
        for (StreamLine *other : device.streams)
            if (other != &stream && other->facts.blocking) give(thread.clock, *other);
        thread.clock.merge(device.blocking_ended);
    }
    know(thread, stream.clock);
    advance(stream);
}

void Order::know_event(ThreadLine &thread, uint64_t event, bool foreign) {
    if (const VectorClock *record = record_of(event)) know(thread, *record);
    if (foreign) know(thread, foreign_);
}

void Order::know_device(ThreadLine &thread, uintptr_t device) {
    DeviceOrder &order = devices_[device];
    for (StreamLine *stream : order.streams) {
        pass_waits(thread, *stream);
        give(thread.clock, *stream);
    }
    know(thread, order.ended);
}

void Order::leave_note(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    give(notes_, stream);
}

VectorClock Order::point_of(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    VectorClock point = stream.clock;
    advance(stream);
    return point;
}

bool Order::is_seen_done(uint32_t line, uint64_t epoch) const noexcept {
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const auto &thread) { return thread.second.clock.at(line) >= epoch; });
}

const VectorClock *Order::record_of(uint64_t event) const noexcept {
    const auto found = events_.find(event);
    return found == events_.end() ? nullptr : &found->second;
}

// A program may have a clock for each message. All threads learn what the oldest has, so that its next use raises no alarm.
void Order::drop_handover() {
    ended_threads_.merge(handovers_.begin()->second);
    ++ends_;
    handovers_.erase(handovers_.begin());
}

void Order::hand_over(ThreadLine &thread, uint64_t *clock) {
    if (*clock == 0 || handovers_.count(*clock) == 0) {
        *clock = ++g_last_handover;
        if (handovers_.size() == kMostHandovers) drop_handover();
    }
    VectorClock &shared = handovers_[*clock];
    know(thread, shared);
    shared.merge(thread.clock);
}

void Order::act(ThreadLine &thread) {
    if (!thread.has_line) {
        const Lines::Start start = lines_.begin();
        thread.line = start.line;
        thread.epoch = thread.first = start.epoch;
        thread.has_line = true;
    } else {
        ++thread.epoch;
    }
    thread.clock.set(thread.line, thread.epoch);
    ++thread.version;
}

} // namespace gs::check
