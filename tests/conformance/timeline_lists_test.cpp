// SPDX-License-Identifier: Apache-2.0
// What a timeline keeps of its signals, while calls of other threads use them.
#include "conformance/conformance.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

// As a thread that is about to make a stream wait for the first signal's event.
class Pinned {
public:
    explicit Pinned(TimelineSlot &slot) : slot_(slot), signal_(slot.signals.first()) { count(1); }
    ~Pinned() { count(-1); }
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;

private:
    void count(int by) {
        BriefGuard lock(slot_.mutex);
        signal_->pins += static_cast<uint32_t>(by);
    }
    TimelineSlot &slot_;
    TimelineSignal *const signal_;
};

} // namespace

// The signal of 1 has happened and is kept: the host must not overtake the one of 2 because of that, or the word would be
// set back.
TEST_P(Conformance, TimelineLists_ASignalInUseDoesNotHideALaterOne) {
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline;
    TimelineSlot &slot = *find_timeline_slot(handle_bits(timeline.get()));
    Gate held, gate;
    ASSERT_OK(held.hold(first));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    {
        const Pinned pinned(slot);
        held.open();
        ASSERT_OK(gs_stream_synchronize(first));
        ASSERT_OK(gate.hold(second));
        ASSERT_OK(gs_stream_signal_timeline(second, timeline, 2));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 2));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 3));
        EXPECT_EQ(timeline.value(), 1u);
        gate.open();
        ASSERT_OK(gs_stream_synchronize(second));
    }
    EXPECT_EQ(timeline.value(), 2u);
    EXPECT_OK(gs_timeline_signal(timeline, 3));
    EXPECT_EQ(timeline.value(), 3u);
}

} // namespace gs::test
