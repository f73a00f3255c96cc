// SPDX-License-Identifier: Apache-2.0
// A record becomes visible to other threads only after its driver call has returned.
#include "conformance/conformance.hpp"
#include "conformance/parked.hpp"
#include "support/own_process.hpp"
#include "support/seeded_bug.hpp"

namespace gs::test {
namespace {

using gs::testing::SeededBug;
// The event was recorded on a stream that is held; another stream waits for it. Returns true if the wait was left out.
class WaitForHeldWork {
public:
    explicit WaitForHeldWork(SeededBug bug) : bug_(bug) {
        EXPECT_OK(gate_.hold(source_));
        bytes_.set(source_, 0, 1);
        EXPECT_OK(gs_event_record(event_, source_));
    }
    void record_again() { EXPECT_OK(gs_event_record(event_, sink_)); }
    void wait() {
        EXPECT_OK(gs_event_wait(event_, sink_));
        if (bug_ == SeededBug::None) bytes_.copy(sink_, 1, 0); // with the bug it would be a data race
    }
    bool was_left_out() {
        if (bug_ != SeededBug::None) EXPECT_OK(gs_stream_synchronize(sink_)); // it is not held then
        const bool early = done(sink_.get()); // the work it must wait for cannot be done
        gate_.open();
        EXPECT_OK(gs_stream_synchronize(sink_));
        EXPECT_OK(gs_stream_synchronize(source_)); // with the bug no stream waits for it
        return early || (bug_ == SeededBug::None && bytes_[1] != 1);
    }

private:
    const SeededBug bug_;
    Bytes bytes_{2};
    Stream source_ = make_stream(0), sink_ = make_stream(0);
    Event event_ = make_event();
    Gate gate_;
};

// A second record, on the waiting stream, has not reached the driver yet: the wait must still be for the first one.
bool wait_left_out_too_early(SeededBug bug) {
    WaitForHeldWork work(bug);
    {
        const Seeded seeded(bug);
        with_parked_call([&] { work.record_again(); }, [&] { work.wait(); });
    }
    return work.was_left_out();
}

bool wait_left_out_across_streams(SeededBug bug) {
    WaitForHeldWork work(bug);
    {
        const Seeded seeded(bug);
        work.wait();
    }
    return work.was_left_out();
}

} // namespace

TEST_P(Conformance, Elision_RecordsArePublishedAfterTheDriverCall) {
    EXPECT_FALSE(wait_left_out_too_early(SeededBug::None));
}

TEST_P(Conformance, Elision_WaitsAcrossStreamsReachTheDriver) {
    EXPECT_FALSE(wait_left_out_across_streams(SeededBug::None));
}

TEST_P(ConformanceProcess, ElisionFixture_PublishedBeforeTheCall) {
    OWN_PROCESS({{"GPUSTREAM_ELIDE", "1"}});
    EXPECT_TRUE(wait_left_out_too_early(SeededBug::PublishBeforeCall)) << "the scenario does not see the seeded bug";
}

TEST_P(ConformanceProcess, ElisionFixture_SkippedWait) {
    OWN_PROCESS();
    EXPECT_TRUE(wait_left_out_across_streams(SeededBug::SkipWaitAcrossStreams))
        << "the scenario does not see the seeded bug";
}

} // namespace gs::test
