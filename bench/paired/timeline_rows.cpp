// SPDX-License-Identifier: Apache-2.0
// Timelines beside the stream memory operations that they are made of.
#include <memory>
#include <optional>

#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr int kSignals = 50, kFirst = 16; // in a batch

// A word for the driver's side, and a timeline; both only grow.
class TimelinePair {
public:
    explicit TimelinePair(uint32_t flags) {
        (void)gs_malloc_host(sizeof(uint64_t), &memory_);
        store(0);
        (void)gs_timeline_create(0, 0, flags, &ours);
    }
    ~TimelinePair() {
        (void)gs_timeline_destroy(ours);
        (void)gs_free_host(memory_);
    }
    TimelinePair(const TimelinePair &) = delete;
    TimelinePair &operator=(const TimelinePair &) = delete;

    uint64_t word() const { return reinterpret_cast<uint64_t>(memory_); }
    void store(uint64_t value) const { __atomic_store_n(static_cast<uint64_t *>(memory_), value, __ATOMIC_RELEASE); }

    gs_timeline_t ours = nullptr;
    uint64_t written = 0, signalled = 0;

private:
    void *memory_ = nullptr;
};

// Waits come after signals: beside the record that a signal is made of.
void add_signals(Pairs &pairs) {
    StreamPair stream;
    EventPair event;
    TimelinePair timeline(GS_TIMELINE_SIGNAL_FIRST);
    pairs.add(
        "timeline signal", kSignals, [&](int) { return g_driver.event_record(event.theirs, stream.theirs); },
        [&](int) { return gs_stream_signal_timeline(stream.ours, timeline.ours, ++timeline.signalled); },
        [&] { stream.settle(); });
}

// Streams may wait before the signal, so each signal is written as well.
void add_written_signals(Pairs &pairs) {
    StreamPair stream;
    EventPair event;
    TimelinePair timeline(0);
    pairs.add(
        "timeline signal, written", kSignals,
        [&](int) {
            return g_driver.write_value(stream.theirs, timeline.word(), ++timeline.written, 0) |
                   g_driver.event_record(event.theirs, stream.theirs);
        },
        [&](int) { return gs_stream_signal_timeline(stream.ours, timeline.ours, ++timeline.signalled); },
        [&] { stream.settle(); });
}

// The signals are submitted and cannot happen yet. Beside the driver's wait for an event, and beside gpustream's.
void add_waits_for_signals(Pairs &pairs) {
    StreamPair stream, other;
    TimelinePair timeline(GS_TIMELINE_SIGNAL_FIRST);
    const auto events = std::make_unique<EventPair[]>(kSignals);
    std::optional<Hold> hold;
    const auto wait = [&](int i) {
        const uint64_t value = timeline.signalled - static_cast<uint64_t>(kSignals - 1 - i % kSignals);
        return gs_stream_wait_timeline(stream.ours, timeline.ours, value);
    };
    const auto settle = [&] {
        hold.reset();
        stream.settle();
        other.settle();
        hold.emplace(other);
        for (int i = 0; i < kSignals; ++i) {
            events[static_cast<size_t>(i)].record(other);
            (void)gs_stream_signal_timeline(other.ours, timeline.ours, ++timeline.signalled);
        }
    };
    pairs.add(
        "timeline wait, signal submitted", kSignals,
        [&](int i) { return g_driver.stream_wait(stream.theirs, events[static_cast<size_t>(i % kSignals)].theirs, 0); },
        wait, settle);
    pairs.add_beside(
        "timeline wait, signal submitted, beside gs_stream_wait_event", kSignals,
        [&](int i) { return gs_stream_wait_event(stream.ours, events[static_cast<size_t>(i % kSignals)].ours); }, wait,
        settle);
}

void add_waits_first(Pairs &pairs) {
    StreamPair stream;
    TimelinePair timeline(0);
    pairs.add(
        "timeline wait, first", kFirst,
        [&](int) { return g_driver.wait_value(stream.theirs, timeline.word(), ++timeline.written, 0); },
        [&](int) { return gs_stream_wait_timeline(stream.ours, timeline.ours, ++timeline.signalled); },
        [&] {
            timeline.store(timeline.written);
            (void)gs_timeline_signal(timeline.ours, timeline.signalled);
            stream.settle();
        });
    timeline.store(timeline.written);
    (void)gs_timeline_signal(timeline.ours, timeline.signalled);
}

void add_timeline_lives(Pairs &pairs) {
    gs_timeline_t timeline = nullptr;
    pairs.add_alone("timeline create + destroy", 100, [&](int) {
        const int failed = gs_timeline_create(0, 0, 0, &timeline);
        return failed | gs_timeline_destroy(timeline);
    });
}

// Beside what a token is made of. bench/tokens has the two sides in two processes.
void add_tokens(Pairs &pairs) {
    StreamPair stream, other;
    const auto events = std::make_unique<EventPair[]>(kSignals);
    pairs.add(
        "token create + wait", kSignals,
        [&](int i) {
            const EventPair &event = events[static_cast<size_t>(i % kSignals)];
            return g_driver.event_record(event.theirs, stream.theirs) |
                   g_driver.stream_wait(other.theirs, event.theirs, 0);
        },
        [&](int) {
            gs_token_t token;
            const int failed = gs_token_create(stream.ours, &token);
            return failed | gs_token_wait(other.ours, &token);
        },
        [&] {
            stream.settle();
            other.settle();
        });
}

} // namespace

void add_timeline_rows(Pairs &pairs) {
    if (g_driver.write_value && g_driver.wait_value) {
        add_signals(pairs);
        add_written_signals(pairs);
        add_waits_for_signals(pairs);
        add_waits_first(pairs);
    }
    add_timeline_lives(pairs);
    add_tokens(pairs);
}

} // namespace paired
