// SPDX-License-Identifier: Apache-2.0
// gs_explain_wait without the log.
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "dumps/dumped.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string explained(gs_stream_t stream) {
    size_t bytes = 0;
    EXPECT_OK(gs_explain_wait(stream, nullptr, 0, &bytes));
    std::vector<char> text(bytes);
    EXPECT_OK(gs_explain_wait(stream, text.data(), text.size(), &bytes));
    EXPECT_EQ(bytes, text.size());
    EXPECT_EQ(text.back(), '\0');
    return text.data();
}

TEST(Explain, SaysWhatTheDumpSaysOfThatStream) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Event event = named_event("done");
    const Timeline timeline = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(a, timeline, 2));
    ASSERT_OK(gs_event_record(event, a));
    ASSERT_OK(gs_stream_wait_event(b, event));
    const std::string text = explained(b);
    EXPECT_THAT(dumped(), HasSubstr(text));
    EXPECT_EQ(line_about(text, "b"),
              "stream  (\"b\") waits for event  (\"done\"), recorded in stream  (\"a\"), which waits "
              "for timeline  to reach 2 (it is at 0)");
    EXPECT_THAT(text, Not(HasSubstr("(\"a\") waits")));
    ASSERT_OK(gs_timeline_signal(timeline, 2));
    ASSERT_OK(gs_stream_synchronize(b));
    EXPECT_THAT(explained(a), HasSubstr("has no known wait"));
}

// The driver is not asked whether the signal, which is an event only, has happened.
TEST(Explain, OfATimelineThatNobodyHasLookedAt) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Timeline timeline = make_timeline(GS_TIMELINE_SIGNAL_FIRST);
    ASSERT_OK(gs_stream_signal_timeline(a, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(b, timeline, 1));
    ASSERT_OK(gs_stream_synchronize(b));
    EXPECT_THAT(explained(b), HasSubstr("may wait for timeline"));
    EXPECT_THAT(explained(b), Not(HasSubstr("it is at")));
    uint64_t value = 0;
    ASSERT_OK(gs_timeline_value(timeline, &value));
    EXPECT_EQ(value, 1u);
    EXPECT_THAT(explained(b), HasSubstr("has no known wait"));
}

TEST(Explain, OfStreamsThatAreNotMade) {
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_default_stream(0, &stream));
    EXPECT_THAT(explained(stream), HasSubstr("has no known wait"));
}

// Any room does: the text is cut between characters, and nothing behind the room is written.
TEST(Explain, FillsTheRoomThatThereIs) {
    const Stream stream = named_stream("Stra\xC3\x9F"
                                       "e");
    const std::string whole = explained(stream);
    for (size_t room = 0; room <= whole.size() + 8; ++room) {
        std::vector<char> text(room + 16, '#');
        size_t bytes = 0;
        ASSERT_OK(gs_explain_wait(stream, text.data(), room, &bytes));
        ASSERT_EQ(bytes, whole.size() + 1);
        ASSERT_EQ(text[room], '#');
        if (room == 0) continue;
        const std::string got = text.data();
        ASSERT_LT(got.size(), room);
        ASSERT_EQ(got, whole.substr(0, got.size()));
        const bool in_character =
            (static_cast<unsigned char>(whole[std::min(room - 1, whole.size() - 1)]) & 0xC0) == 0x80;
        ASSERT_EQ(got.size(), std::min(whole.size(), room - 1 - (in_character ? 1 : 0))) << room;
    }
}

TEST(Explain, RefusesWhatItCannotFill) {
    const Stream stream = make_stream(0);
    char text[4] = "abc";
    size_t bytes = 7;
    EXPECT_EQ(gs_explain_wait(stream, text, sizeof text, nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(text[0], '\0');
    EXPECT_EQ(gs_explain_wait(stream, nullptr, 1, &bytes), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(bytes, 0u);
    for (const gs_stream_t bad : {gs_stream_t{}, GS_STREAM_CURRENT}) {
        bytes = 7;
        EXPECT_EQ(gs_explain_wait(bad, text, sizeof text, &bytes), GS_ERROR_INVALID_HANDLE);
        EXPECT_EQ(bytes, 0u);
    }
}

// The stream may end while another thread asks about it: an answer or INVALID_HANDLE.
TEST(Explain, BesideTheEndOfTheStream) {
    for (int round = 0; round < 50; ++round) {
        gs_stream_t stream = nullptr;
        ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
        std::thread ender([&] { EXPECT_OK(gs_stream_destroy(stream)); });
        gs_status_t status = GS_OK;
        while (status == GS_OK) {
            size_t bytes = 0;
            char text[256];
            status = gs_explain_wait(stream, text, sizeof text, &bytes);
        }
        EXPECT_EQ(status, GS_ERROR_INVALID_HANDLE);
        ender.join();
    }
}

} // namespace
} // namespace gs::check::test
