// SPDX-License-Identifier: Apache-2.0
// Order that timelines make, and words of the program's own.
#include "tools/check/stream_order.hpp"

namespace gs::check {

// Leaves out waits that are open: what met them, if they are, is part of it.
VectorClock Order::everything() {
    VectorClock all;
    for (auto &[key, stream] : streams_) {
        all.merge_epochs(stream->clock);
        advance(*stream);
    }
    for (const auto &[address, device] : devices_) all.merge_epochs(device.ended);
    for (const auto &[serial, thread] : threads_) all.merge_epochs(thread.clock);
    all.merge_epochs(ended_threads_);
    all.merge_epochs(foreign_);
    return all;
}

OpenWait Order::wait_of(const ThreadLine &thread, const StreamLine &stream, uint64_t value) {
    OpenWait wait;
    wait.thread = thread.serial;
    wait.line = stream.line;
    wait.epoch = stream.epoch;
    wait.value = value;
    return wait;
}

bool Order::is_own(const OpenWait &wait, const ThreadLine &thread, const StreamLine &stream) noexcept {
    return wait.thread == thread.serial && wait.line == stream.line && wait.epoch >= stream.first;
}

uint64_t Order::signal(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value) {
    submit(thread, stream);
    stream.clock.merge(timelines_.before(timeline, value));
    bool late = false; // then the larger one's stream has waited for this one
    const uint64_t number = timelines_.announce(timeline, value, stream.clock, &late);
    advance(stream);
    return number;
}

// A signal of the host may come before one of a stream that has a larger value and is known already: waits have learnt that
// one's clock only. It is rare, and then all learn this one's.
uint64_t Order::signal_by_host(ThreadLine &thread, uint64_t timeline, uint64_t value) {
    VectorClock clock = timelines_.before(timeline, value);
    clock.merge(thread.clock);
    bool late = false;
    const uint64_t number = timelines_.announce(timeline, value, clock, &late);
    if (late) {
        ended_threads_.merge(clock);
        ++ends_;
    }
    return number;
}

void Order::wait_timeline(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value, bool reached) {
    submit(thread, stream);
    timelines_.wait(timeline, wait_of(thread, stream, value), reached, stream.clock);
}

void Order::wait_ended_timeline(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    stream.clock.merge(everything());
}

void Order::know_timeline(ThreadLine &thread, uint64_t timeline, uint64_t value, bool exact) {
    know(thread, timelines_.reached(timeline, value, exact));
}

void Order::end_timeline(uint64_t timeline) { timelines_.close(timeline, everything()); }

void Order::wait_word(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    // One for all of the thread's in the stream: it learns of them at once.
    for (const std::shared_ptr<OpenWait> &wait : stream.clock.open())
        if (wait->for_word && is_own(*wait, thread, stream)) return;
    OpenWait wait = wait_of(thread, stream, 0);
    wait.for_word = true;
    stream.clock.add_open(std::make_shared<OpenWait>(std::move(wait)));
}

// Only of waits that the thread itself submitted is it certain that they came before what it has seen to be done.
void Order::pass_waits(const ThreadLine &thread, const StreamLine &stream) {
    for (const std::shared_ptr<OpenWait> &wait : stream.clock.open()) {
        if (wait->met || !is_own(*wait, thread, stream)) continue;
        wait->before = everything();
        wait->met = true;
    }
}

} // namespace gs::check
