// SPDX-License-Identifier: Apache-2.0
// Names of streams, events and graphs, and threads that may not wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "core/names.hpp"
#include "support/objects.hpp"

namespace gs::check::test {
namespace {

using gs::test::Event;
using gs::test::make_event;
using gs::test::make_stream;
using gs::test::Stream;
using ::testing::HasSubstr;

std::string name_of(gs_stream_t stream) { return name_of_object(reinterpret_cast<uint64_t>(stream)).text; }

std::string last_message() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_last_error(&info));
    return info.message;
}

TEST(Names, AreShownInErrors) {
    Event event = make_event();
    Stream stream = make_stream(0);
    ASSERT_OK(gs_event_set_name(event, "uploaded"));
    ASSERT_OK(gs_stream_set_name(stream, "upload"));
    const gs_event_t old_event = event;
    const gs_stream_t old_stream = stream;
    event.reset();
    stream.reset();
    EXPECT_EQ(gs_event_synchronize(old_event), GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(last_message(), HasSubstr("(\"uploaded\")"));
    EXPECT_EQ(gs_stream_synchronize(old_stream), GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(last_message(), HasSubstr("(\"upload\")"));
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    ASSERT_OK(gs_graph_set_name(graph, "step"));
    ASSERT_OK(gs_graph_destroy(graph));
    EXPECT_EQ(gs_graph_destroy(graph), GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(last_message(), HasSubstr("(\"step\")"));
}

TEST(Names, BelongToTheObject) {
    Stream stream = make_stream(0);
    EXPECT_EQ(name_of(stream), "");
    ASSERT_OK(gs_stream_set_name(stream, "one"));
    ASSERT_OK(gs_stream_set_name(stream, "two"));
    EXPECT_EQ(name_of(stream), "two");
    ASSERT_OK(gs_stream_set_name(stream, nullptr));
    EXPECT_EQ(name_of(stream), "");
    ASSERT_OK(gs_stream_set_name(stream, "three"));
    ASSERT_OK(gs_stream_set_name(stream, ""));
    EXPECT_EQ(name_of(stream), "");
    gs_stream_t legacy = nullptr;
    ASSERT_OK(gs_default_stream(0, &legacy));
    ASSERT_OK(gs_stream_set_name(legacy, "the default one"));
    EXPECT_EQ(name_of(legacy), "the default one");
    EXPECT_EQ(gs_stream_set_name(nullptr, "x"), GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(gs_stream_set_name(GS_STREAM_CURRENT, "x"), GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(gs_event_set_name(nullptr, "x"), GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(gs_graph_set_name(nullptr, "x"), GS_ERROR_INVALID_HANDLE);
}

TEST(Names, OfAnyBytesAndLength) {
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_set_name(stream, std::string(1'000'000, 'n').c_str()));
    EXPECT_EQ(name_of(stream), std::string(63, 'n'));
    ASSERT_OK(gs_stream_set_name(stream, "a\nb\x1b[31m\x7f\xff\xc3"));
    EXPECT_EQ(name_of(stream), "a?b?[31m??");
    ASSERT_OK(gs_stream_set_name(stream, "\xc3\xa9t\xc3\xa9"));
    EXPECT_EQ(name_of(stream), "\xc3\xa9t\xc3\xa9");
    // 62 bytes and a character of two: it is cut before that character.
    ASSERT_OK(gs_stream_set_name(stream, (std::string(62, 'n') + "\xc3\xa9").c_str()));
    EXPECT_EQ(name_of(stream), std::string(62, 'n'));
}

// A reader beside a writer sees one of the names, or none.
TEST(Names, AreReadWhole) {
    Stream stream = make_stream(0);
    const std::string one(63, 'a'), two(63, 'b');
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (int i = 0; !stop; ++i) EXPECT_OK(gs_stream_set_name(stream, (i & 1) != 0 ? one.c_str() : two.c_str()));
    });
    for (int i = 0; i < 20'000; ++i) {
        const std::string name = name_of(stream);
        ASSERT_TRUE(name.empty() || name == one || name == two) << name;
    }
    stop = true;
    writer.join();
}

TEST(ForbidSync, IsOfTheThread) {
    Stream stream = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    int32_t previous = -1;
    ASSERT_OK(gs_forbid_sync(1, &previous));
    EXPECT_EQ(previous, 0);
    EXPECT_EQ(gs_forbid_sync(8, &previous), GS_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(gs_forbid_sync(GS_FORBID_SYNC, &previous));
    EXPECT_EQ(previous, 1);
    EXPECT_EQ(gs_stream_synchronize(stream), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_THAT(last_message(), HasSubstr("gs_forbid_sync"));
    EXPECT_EQ(gs_event_synchronize(event), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_EQ(gs_device_synchronize(0), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_EQ(gs_stream_synchronize_for(stream, 0), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_EQ(gs_event_synchronize_for(event, -1), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_EQ(gs_device_synchronize_for(0, -1), GS_ERROR_SYNC_FORBIDDEN);
    const gs_event_t events[] = {event};
    size_t index = 0;
    EXPECT_EQ(gs_event_synchronize_any(events, 1, -1, &index), GS_ERROR_SYNC_FORBIDDEN);
    EXPECT_EQ(gs_event_synchronize_all(events, 1, -1), GS_ERROR_SYNC_FORBIDDEN);
    int32_t done = 0;
    EXPECT_OK(gs_stream_query(stream, &done));
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(stream)); }).join();
    ASSERT_OK(gs_forbid_sync(0, &previous));
    EXPECT_EQ(previous, 1);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(gs_forbid_sync(1, nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(gs_stream_synchronize(stream));
}

} // namespace
} // namespace gs::check::test
