// SPDX-License-Identifier: Apache-2.0
// A reset of a device waits for calls by their marks, so each question about a driver event of the library's is asked inside a
// mark. Outside of one, the event could end with its context before the question.
#include <thread>

#include "core/device/device_table.hpp"
#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/instrumented/forwarding_backend.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

// Asked by the tests' own threads, and by those of the library.
class Asked final : public ForwardingBackend {
public:
    explicit Asked(Backend &inner) noexcept : ForwardingBackend(inner) {}
    Status event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept override {
        ++questions;
        if ((thread.call_seq.load(std::memory_order_relaxed) & 1) == 0) ++unmarked;
        return ForwardingBackend::event_query(thread, ordinal, event, out_done);
    }
    std::atomic<int> questions{0}, unmarked{0};
};

// Device 0 is asked through one from here on. Never freed, since threads of the library go on asking.
Asked &watch_questions() {
    Device &device = *started_device(GS_BACKEND_CUDA, 0);
    auto *asked = new Asked(*device.backend);
    device.backend = asked;
    return *asked;
}

} // namespace

TEST(QuestionMarks, OfAThreadThatWaitsForATimeline) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Stream stream = make_stream(0);
    Timeline timeline;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 1));
    Asked &asked = watch_questions();
    EXPECT_EQ(gs_timeline_synchronize(timeline, 1, 1'000'000), GS_ERROR_TIMEOUT);
    EXPECT_GT(asked.questions, 0);
    EXPECT_EQ(asked.unmarked, 0);
    gate.open();
    EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
    EXPECT_EQ(asked.unmarked, 0);
}

TEST(QuestionMarks, OfAnEndedTimelineWhoseWordIsUsedAgain) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Asked &asked = watch_questions();
    Stream stream = make_stream(0);
    for (const bool by_trim : {false, true}) {
        {
            Timeline timeline;
            ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
            ASSERT_OK(gs_timeline_signal(timeline, 1));
            ASSERT_OK(gs_stream_synchronize(stream));
        }
        const int before = asked.questions;
        if (by_trim)
            ASSERT_OK(gs_trim());
        else
            Timeline().value();
        EXPECT_GT(asked.questions, before);
        EXPECT_EQ(asked.unmarked, 0) << by_trim;
    }
}

TEST(QuestionMarks, OfTokens) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Stream stream = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    gs_token_t token{};
    ASSERT_OK(gs_token_create(stream, &token));
    Asked &asked = watch_questions();
    gs_status_t status = GS_OK;
    ASSERT_OK(gs_token_status(&token, &status));
    EXPECT_EQ(status, GS_NOT_READY);
    EXPECT_GT(asked.questions, 0);
    EXPECT_EQ(asked.unmarked, 0);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_token_wait(stream, &token)); // its lease may end
    ASSERT_OK(gs_trim());
    EXPECT_EQ(asked.unmarked, 0);
}

} // namespace gs::test
