// SPDX-License-Identifier: Apache-2.0
// Streams that wait for signals which are submitted already: by the event of the right one, in one call.
#include <array>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/gate.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

constexpr uint64_t kSignals = 6;

// Signals of 2, 4, 6 and so on, each of which happens when go_on() lets it.
class SignalsByTurns {
public:
    // By turns of the streams. In one stream each signal stands behind a host function: those are certain to be called in
    // order. In several it stands behind a wait for another timeline, which may be part of a circle.
    SignalsByTurns(gs_timeline_t timeline, const std::vector<gs_stream_t> &streams) : timeline_(timeline) {
        by_functions_ = streams.size() == 1;
        for (uint64_t i = 0; i < kSignals; ++i) {
            const gs_stream_t stream = streams[i % streams.size()];
            EXPECT_OK(by_functions_ ? gates_[i].hold(stream) : gs_stream_wait_timeline(stream, turns_, i + 1));
            EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 2 * (i + 1)));
        }
    }
    // The next one happens. Returns its value.
    uint64_t go_on() {
        if (by_functions_) gates_[turn_].open();
        ++turn_;
        if (!by_functions_) EXPECT_OK(gs_timeline_signal(turns_, turn_));
        EXPECT_OK(gs_timeline_synchronize(timeline_, 2 * turn_, -1));
        return 2 * turn_;
    }

private:
    const gs_timeline_t timeline_;
    bool by_functions_ = false;
    Timeline turns_;
    std::array<Gate, kSignals> gates_;
    uint64_t turn_ = 0;
};

struct Waiting {
    Stream stream = make_stream(0);
    uint64_t value = 0;
};

void expect_each_waits_for_its_own(gs_timeline_t timeline, SignalsByTurns &signals) {
    // Up, down, twice the same, between two signals, and last for one that is not listed any more when the next wait comes.
    std::vector<Waiting> waiting;
    constexpr uint64_t kValues[] = {2, 4, 6, 12, 10, 8, 2, 2, 7, 12, 3, 11, 6};
    for (const uint64_t value : kValues) {
        waiting.emplace_back();
        waiting.back().value = value;
        ASSERT_OK(gs_stream_wait_timeline(waiting.back().stream, timeline, value));
    }
    for (uint64_t now = 0; now != 2 * kSignals;) {
        for (const Waiting &one : waiting) EXPECT_EQ(done(one.stream.get()), one.value <= now) << one.value << now;
        now = signals.go_on();
        for (const Waiting &one : waiting)
            if (one.value <= now) EXPECT_OK(gs_stream_synchronize(one.stream));
        if (now != 6) continue;
        // The signals that have happened are not listed any more.
        waiting.front().value = 8;
        ASSERT_OK(gs_stream_wait_timeline(waiting.front().stream, timeline, 8));
    }
    for (const Waiting &one : waiting) EXPECT_OK(gs_stream_synchronize(one.stream));
}

} // namespace

TEST_P(Conformance, TimelineWait_EachForItsOwnSignalOfOneStream) {
    Stream signals = make_stream(0);
    Timeline timeline;
    SignalsByTurns by_turns(timeline, {signals.get()});
    expect_each_waits_for_its_own(timeline, by_turns);
}

// On a GPU the 13 streams that wait for words need hardware queues of their own, beside those that signal.
TEST_P(Conformance, TimelineWait_EachForItsOwnSignalOfTwoStreams) {
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline;
    SignalsByTurns by_turns(timeline, {first.get(), second.get()});
    expect_each_waits_for_its_own(timeline, by_turns);
}

// A signal of its own stream needs no wait, also where another stream has signalled in between.
TEST_P(Conformance, TimelineWait_OfTheStreamThatSignals) {
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline;
    Gate gate;
    ASSERT_OK(gate.hold(first));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 2));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 3));
    StatsDelta delta;
    for (const uint64_t value : {uint64_t{1}, uint64_t{2}, uint64_t{3}})
        ASSERT_OK(gs_stream_wait_timeline(first, timeline, value));
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 2));
    EXPECT_EQ(delta.driver_calls(), 0u);
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 3));
    EXPECT_FALSE(done(second.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(second));
    EXPECT_EQ(timeline.value(), 3u);
}

// Whatever else is submitted: by the event of the signal, and by the word only where there is none.
TEST_P(Conformance, TimelineWait_ForASubmittedSignalIsOneCall) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    constexpr uint64_t kLast = 9;
    for (uint64_t round = 0; round < 2; ++round) { // the first one takes events from the pool
        Gate gate;
        ASSERT_OK(gate.hold(signals));
        const uint64_t before = round * kLast;
        StatsDelta submitted;
        for (uint64_t value = 1; value <= kLast; ++value)
            ASSERT_OK(gs_stream_signal_timeline(signals, timeline, before + value));
        if (round != 0) EXPECT_EQ(submitted.driver_calls(), 2 * kLast) << "a write and a record each";
        for (const uint64_t value : {kLast, uint64_t{1}, uint64_t{5}}) {
            StatsDelta delta;
            ASSERT_OK(gs_stream_wait_timeline(waits, timeline, before + value));
            EXPECT_EQ(delta.driver_calls(), 1u) << value;
        }
        EXPECT_FALSE(done(waits.get()));
        gate.open();
        EXPECT_OK(gs_stream_synchronize(waits));
        EXPECT_EQ(timeline.value(), before + kLast);
    }
}

} // namespace gs::test
