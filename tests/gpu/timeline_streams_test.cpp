// SPDX-License-Identifier: Apache-2.0
// Many streams of one device that wait before anything is signalled: what goes on, and what shares a hardware queue with them.
// What the driver may decide is printed and not asserted; docs/guide/timelines.md says what was found.
//
// A driver that makes a stream or loads its own kernel of a fill waits for what is held. So all streams are made, and a fill
// has been run, before the first one waits.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "support/objects.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

constexpr size_t kStreams = 64;
constexpr int64_t kLimitNs = 5'000'000'000;

// With a driver stream, which an unused stream of the library need not have.
std::vector<Stream> make_streams(size_t count) {
    std::vector<Stream> streams;
    for (size_t i = 0; i < count; ++i) {
        streams.push_back(make_stream(0));
        uintptr_t native = 0;
        EXPECT_OK(gs_stream_native(streams.back(), &native));
    }
    return streams;
}

// Streams that wait for the value 1 after wait_for(), and then set a word each.
class Waiting {
public:
    Waiting() : streams_(make_streams(kStreams)) {
        EXPECT_OK(gs_malloc_host(kStreams * sizeof(uint32_t), &words_));
        EXPECT_OK(gs_memset_async(words_, 0, kStreams * sizeof(uint32_t), streams_[0]));
        EXPECT_OK(gs_stream_synchronize(streams_[0]));
    }
    void wait_for(gs_timeline_t timeline) {
        for (size_t i = 0; i < kStreams; ++i) {
            EXPECT_OK(gs_stream_wait_timeline(streams_[i], timeline, 1));
            EXPECT_OK(gs_memset_async(static_cast<uint32_t *>(words_) + i, 0xFF, sizeof(uint32_t), streams_[i]));
        }
    }
    ~Waiting() {
        for (Stream &stream : streams_) EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_OK(gs_free_host(words_));
    }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

    size_t went_on() {
        size_t count = 0;
        for (size_t i = 0; i < kStreams; ++i) count += word(i) == 0xFFFFFFFFu;
        return count;
    }
    void expect_all() {
        for (Stream &stream : streams_) EXPECT_OK(gs_stream_synchronize_for(stream, kLimitNs));
        EXPECT_EQ(went_on(), kStreams);
    }

private:
    volatile uint32_t &word(size_t i) { return static_cast<volatile uint32_t *>(words_)[i]; }

    std::vector<Stream> streams_;
    void *words_ = nullptr;
};

TEST(TimelineStreams, TheHostReleasesThemAll) {
    Timeline timeline;
    Waiting waiting;
    waiting.wait_for(timeline);
    EXPECT_EQ(waiting.went_on(), 0u);
    EXPECT_OK(gs_timeline_signal(timeline, 1));
    waiting.expect_all();
}

TEST(TimelineStreams, AnAbortReleasesThemAll) {
    Timeline timeline;
    Waiting waiting;
    waiting.wait_for(timeline);
    EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    waiting.expect_all();
}

TEST(TimelineStreams, ASignalThatWasSubmittedFirstReleasesThemAll) {
    Timeline timeline, start;
    std::vector<Stream> signals = make_streams(1);
    Waiting waiting;
    ASSERT_OK(gs_stream_wait_timeline(signals[0], start, 1));
    ASSERT_OK(gs_stream_signal_timeline(signals[0], timeline, 1));
    waiting.wait_for(timeline);
    EXPECT_OK(gs_timeline_signal(start, 1));
    waiting.expect_all();
}

// Streams that were used before, and streams that are used for the first time: does their work pass those that wait?
TEST(TimelineStreams, OthersMayBeHeldUp) {
    std::vector<Stream> before = make_streams(16), fresh = make_streams(16);
    for (Stream &stream : before) {
        ASSERT_OK(gs_stream_sleep(stream, 1));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    Timeline timeline;
    Waiting waiting;
    waiting.wait_for(timeline);
    const auto held_up = [](gs_stream_t stream) {
        EXPECT_OK(gs_stream_sleep(stream, 1));
        const gs_status_t status = gs_stream_synchronize_for(stream, 100'000'000);
        EXPECT_TRUE(status == GS_OK || status == GS_ERROR_TIMEOUT) << gs_status_name(status);
        return status == GS_ERROR_TIMEOUT;
    };
    int old_ones = 0, new_ones = 0;
    for (Stream &stream : before) old_ones += held_up(stream);
    for (Stream &stream : fresh) new_ones += held_up(stream);
    std::printf(
        "with %zu streams that wait first: held up are %d of 16 streams that were used before, %d of 16 new ones\n",
        kStreams, old_ones, new_ones);
    EXPECT_OK(gs_timeline_signal(timeline, 1));
    waiting.expect_all();
}

// The signal of a stream that is submitted last may never run; the abort ends that.
TEST(TimelineStreams, ASignalThatIsSubmittedLast) {
    Timeline timeline;
    Waiting waiting;
    std::vector<Stream> signals = make_streams(1);
    waiting.wait_for(timeline);
    ASSERT_OK(gs_stream_signal_timeline(signals[0], timeline, 1));
    const gs_status_t status = gs_timeline_synchronize(timeline, 1, kLimitNs);
    ASSERT_TRUE(status == GS_OK || status == GS_ERROR_TIMEOUT) << gs_status_name(status);
    std::printf("a signal that is submitted behind %zu streams that wait for it %s\n", kStreams,
                status == GS_OK ? "happens" : "does not happen");
    if (status != GS_OK) EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    waiting.expect_all();
    EXPECT_OK(gs_stream_synchronize_for(signals[0], kLimitNs));
}

} // namespace
} // namespace gs::test
