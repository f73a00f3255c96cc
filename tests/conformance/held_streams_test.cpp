// SPDX-License-Identifier: Apache-2.0
// Streams that only the scopes of a thread hold: they live until the scope that holds them has ended.
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kDeep = 40; // more than two blocks of scopes

bool is_live(gs_stream_t stream) {
    int32_t value = 0;
    return gs_stream_query(stream, &value) == GS_OK;
}

} // namespace

// The state of an ended thread serves the next one.
TEST_P(ConformanceProcess, Held_ScopesOfAThreadAfterOneThatLeftItsScopesOpen) {
    OWN_PROCESS();
    std::thread([] {
        std::vector<Stream> streams;
        for (int i = 0; i < kDeep; ++i) {
            uint64_t scope = 0;
            streams.push_back(make_stream());
            ASSERT_OK(gs_push_current_stream(streams.back(), &scope));
        }
    }).join();
    Stream outer = make_stream(), inner = make_stream();
    const gs_stream_t name = outer.get();
    std::thread thread([&] {
        uint64_t first = 0, second = 0;
        ASSERT_OK(gs_push_current_stream(outer, &first));
        ASSERT_OK(gs_push_current_stream(inner, &second));
        std::thread([&] { outer.reset(); }).join();
        EXPECT_OK(gs_pop_current_stream(second));
        EXPECT_EQ(current_stream(), name);
        EXPECT_TRUE(is_live(name)) << "the scope around it holds it";
        EXPECT_OK(gs_pop_current_stream(first));
        EXPECT_FALSE(is_live(name));
    });
    thread.join();
}

// One scope more than a block has.
TEST_P(ConformanceProcess, Held_ScopesOfAnEndedThreadLetGo) {
    OWN_PROCESS();
    std::vector<gs_stream_t> names;
    std::thread([&] {
        for (int i = 0; i < 17; ++i) {
            uint64_t scope = 0;
            Stream stream = make_stream();
            names.push_back(stream.get());
            ASSERT_OK(gs_push_current_stream(stream, &scope));
        }
    }).join();
    for (const gs_stream_t name : names) EXPECT_FALSE(is_live(name));
}

TEST_P(ConformanceProcess, Held_AScopeAcrossDevicesLetsGoOfBoth) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    Stream first = make_stream(0), inside = make_stream(0), there = make_stream(1), other = make_stream(1);
    const gs_stream_t on_source = inside.get(), on_target = other.get();
    ASSERT_OK(gs_set_current_stream(first));
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(there, &scope));
    ASSERT_OK(gs_set_current_stream(inside)); // on the device that the scope came from
    ASSERT_OK(gs_set_current_stream(other));  // and on the one that it went to
    inside.reset();
    other.reset();
    EXPECT_TRUE(is_live(on_source));
    EXPECT_TRUE(is_live(on_target));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(current_stream(0), first.get());
    EXPECT_FALSE(is_live(on_source));
    EXPECT_FALSE(is_live(on_target));
    EXPECT_OK(gs_set_current_stream(default_stream(0)));
}

TEST_P(ConformanceProcess, Init_ByTheFirstCallOnTheCurrentStream) {
    OWN_PROCESS();
    Event event = make_event();
    int32_t initialized = -1;
    ASSERT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 0);
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    ASSERT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 1);
}

TEST_P(ConformanceProcess, Init_ByTheFirstExportOfAnEvent) {
    OWN_PROCESS();
    Event event = make_event(GS_EVENT_INTERPROCESS);
    gs_ipc_handle_t handle{};
    ASSERT_OK(gs_event_ipc_export(event, &handle));
    int32_t initialized = -1;
    ASSERT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 1);
}

} // namespace gs::test
