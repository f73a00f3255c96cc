// SPDX-License-Identifier: Apache-2.0
// The driver may know of a record of another thread before the library does. What it then says of the event proves nothing about
// the earlier record, which the library still takes for the last one.
#include "conformance/conformance.hpp"
#include "conformance/parked.hpp"

namespace gs::test {
namespace {

// Two events were recorded on a stream that is held. Another thread records the second one again, on an idle stream, and is
// stopped before the library publishes that. Then ask(event) is called.
class RecordedAgain {
public:
    RecordedAgain() {
        EXPECT_OK(gate_.hold(held_));
        EXPECT_OK(gs_event_record(before_, held_));
        EXPECT_OK(gs_event_record(event_, held_));
    }
    template <typename Ask>
    void expect_nothing_proven(Ask &&ask) {
        with_parked_call([&] { EXPECT_OK(gs_event_record(event_, idle_)); }, [&] { ask(event_.get()); },
                         gs::testing::Yield::AfterRecordCall);
        EXPECT_FALSE(done(before_.get())) << "its stream is held";
        gate_.open();
        EXPECT_OK(gs_stream_synchronize(held_));
    }

private:
    Stream held_ = make_stream(0), idle_ = make_stream(0);
    Event before_ = make_event(), event_ = make_event();
    Gate gate_;
};

} // namespace

TEST_P(Conformance, ProofsRace_AQueryOfAnUnpublishedRecord) {
    RecordedAgain again;
    again.expect_nothing_proven([](gs_event_t event) {
        while (!done(event)) {}
    });
}

TEST_P(Conformance, ProofsRace_ASynchronizeOfAnUnpublishedRecord) {
    RecordedAgain again;
    again.expect_nothing_proven([](gs_event_t event) { EXPECT_OK(gs_event_synchronize(event)); });
}

TEST_P(Conformance, ProofsRace_AJoinByAnUnpublishedRecord) {
    Stream joined = make_stream(0);
    RecordedAgain again;
    again.expect_nothing_proven([&](gs_event_t event) {
        EXPECT_OK(gs_event_wait(event, joined));
        EXPECT_OK(gs_stream_synchronize(joined));
    });
}

} // namespace gs::test
