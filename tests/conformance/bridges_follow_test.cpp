// SPDX-License-Identifier: Apache-2.0
// Bridges: following another library's current stream, what its functions may do, and the end of a registration.
#include <thread>
#include <utility>

#include "conformance/bridges.hpp"
#include "conformance/graphs.hpp"
#include "support/foreign_stream.hpp"

namespace gs::test {

TEST_P(Bridges, FollowingAsksThem) {
    Library library(GetParam());
    ForeignStream foreign(GetParam(), 0);
    Stream own = make_stream(0), event_stream = make_stream(0);
    ASSERT_OK(gs_bridge_follow(library.id));
    EXPECT_EQ(current_stream(0), default_stream(0));
    library.change(0, native_of(own));
    EXPECT_EQ(current_stream(0), own.get());
    library.change(0, foreign.native());
    uintptr_t native = 0;
    ASSERT_OK(gs_current_native(0, &native));
    EXPECT_EQ(native, foreign.native());
    const gs_stream_t wrapped = current_stream(0);
    EXPECT_EQ(native_of(wrapped), foreign.native());
    {
        const StatsDelta stats;
        for (int i = 0; i < 3; ++i) EXPECT_EQ(current_stream(0), wrapped) << "kept until another is seen";
        EXPECT_EQ(stats.driver_calls(), 0u);
    }
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(wrapped));
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    EXPECT_FALSE(done(event.get())) << "recorded on theirs";
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    library.change(0, 2);
    EXPECT_EQ(current_stream(0), per_thread_stream(0));
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(wrapped, &number)) << "its wrap was let go";
    library.change(0, 1);
    EXPECT_EQ(current_stream(0), default_stream(0));
    ASSERT_OK(gs_set_current_stream(own));
    EXPECT_EQ(library.stream(), native_of(own)) << "setting ours writes theirs";
    library.change(0, foreign.native());
    gs_stream_t previous = nullptr;
    ASSERT_OK(gs_exchange_current_stream(own, &previous));
    EXPECT_EQ(native_of(previous), foreign.native());
    EXPECT_OK(gs_stream_destroy(previous));
    ASSERT_OK(gs_bridge_follow(0));
    library.change(0, 0);
    EXPECT_EQ(current_stream(0), own.get());
    const StatsDelta stats;
    gs_stream_t again = nullptr;
    ASSERT_OK(gs_stream_from_native(0, foreign.native(), &again));
    EXPECT_GT(stats.driver_calls(), 0u) << "its wrap did not end with its use";
    EXPECT_OK(gs_stream_destroy(again));
}

// Bindings call some getters in ways that allow no call back.
TEST_P(Bridges, GettersReleaseNothing) {
    Library library(GetParam());
    ForeignStream foreign(GetParam(), 0);
    Stream own = make_stream(0);
    gs_stream_t theirs = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(0, foreign.native(), ForeignStream::release, &foreign, &theirs));
    ASSERT_OK(gs_bridge_follow(library.id));
    library.change(0, foreign.native());
    EXPECT_EQ(current_stream(0), theirs);
    ASSERT_OK(gs_stream_destroy(theirs));
    library.change(0, 0);
    EXPECT_EQ(current_stream(0), default_stream(0));
    int64_t id = 0;
    gs_device_t device = 0;
    int64_t mode = 0;
    EXPECT_OK(gs_stream_id(own, &id));
    EXPECT_OK(gs_stream_device(own, &device));
    EXPECT_OK(gs_get_option(GS_OPTION_WAIT_MODE, &mode));
    EXPECT_OK(gs_set_option(GS_OPTION_WAIT_MODE, mode));
    EXPECT_FALSE(foreign.released()) << "by a getter";
    ASSERT_OK(gs_bridge_follow(0));
    EXPECT_OK(gs_stream_id(own, &id));
    int32_t complete = 0;
    EXPECT_OK(gs_stream_query(own, &complete));
    EXPECT_TRUE(foreign.released()) << "the wrap is kept although no call can be using it";
}

// The call found the stream before it asked the other library, whose answer ends the stream's time as the current one.
TEST_P(Bridges, AStreamThatIsReplacedDuringACallLivesUntilItsEnd) {
    Library library(GetParam());
    ForeignStream foreign(GetParam(), 0);
    ASSERT_OK(gs_bridge_follow(library.id));
    for (const uint32_t flags : {0u, uint32_t{GS_STREAM_DEDICATED}}) {
        gs_stream_t own = make_stream(0, flags).release();
        ASSERT_OK(gs_set_current_stream(own));
        ASSERT_OK(gs_stream_destroy(own)); // the thread has it current
        library.change(0, foreign.native());
        EXPECT_OK(gs_stream_wait_stream(own, GS_STREAM_CURRENT));
        int32_t complete = 0;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(own, &complete));
        EXPECT_OK(gs_trim());
    }
    ASSERT_OK(gs_bridge_follow(0));
    EXPECT_OK(gs_set_current_stream(default_stream(0)));
}

// A call that a bridge's function makes counts as another thread's: what it ends serves no one before the outer call ends.
TEST_P(Bridges, AnEventThatIsDestroyedDuringACallServesNoOther) {
    Library library(GetParam());
    Stream held = make_stream(0);
    Gate gate;
    const gs_event_t old = make_event().release();
    Event fresh;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_bridge_follow(library.id));
    library.inside = [&] {
        if (fresh) return;
        EXPECT_OK(gs_event_destroy(old));
        fresh = make_event();
        EXPECT_OK(gs_event_record(fresh, held));
    };
    EXPECT_OK(gs_event_record(old, GS_STREAM_CURRENT));
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_FALSE(done(fresh.get())) << "the call has recorded another event";
    gate.open();
    ASSERT_OK(gs_bridge_follow(0));
}

TEST_P(Bridges, AnExecutableThatIsDestroyedDuringACallIsNotLaunched) {
    Library library(GetParam());
    gs_graph_exec_t exec = instantiate(make_graph()).release();
    ASSERT_OK(gs_bridge_follow(library.id));
    library.inside = [&] { EXPECT_OK(gs_graph_exec_destroy(std::exchange(exec, nullptr))); };
    const gs_graph_exec_t old = exec;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_launch(old, GS_STREAM_CURRENT));
    library.inside = {};
    ASSERT_OK(gs_bridge_follow(0));
}

TEST_P(Bridges, FollowingHasLimits) {
    Library one(GetParam(), "one"), two(GetParam(), "two"), mute(GetParam(), "mute", false);
    Stream own = make_stream(0);
    ASSERT_OK(gs_bridge_follow(one.id));
    EXPECT_OK(gs_bridge_follow(one.id));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_follow, "'one' is followed", two.id);
    one.fail_get = 3;
    gs_stream_t stream = own;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_current_stream, "'one'", 0, &stream);
    EXPECT_EQ(stream, nullptr);
    Event event = make_event();
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_event_record, "'one'", event, GS_STREAM_CURRENT);
    one.fail_get = 0;
    one.change(0, 3);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_current_stream(0, &stream)) << "never a stream";
    one.end();
    EXPECT_EQ(current_stream(0), default_stream(0)) << "unregistering ends following";
    ASSERT_OK(gs_bridge_follow(mute.id));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_set_current_stream, "'mute'", own);
    EXPECT_EQ(current_stream(0), default_stream(0));
    ASSERT_OK(gs_bridge_follow(0));
}

TEST_P(Bridges, CallbacksMayNotTouchTheCurrentStream) {
    Library library(GetParam());
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_follow(library.id));
    int runs = 0;
    library.inside = [&] {
        ++runs;
        gs_stream_t stream = nullptr;
        gs_device_t device = 0;
        uintptr_t native = 0;
        uint64_t scope = 0;
        void *pointer = nullptr;
        int32_t id = 0;
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_current_stream, "made up", 0, &stream);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_current_native(0, &native));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_set_current_stream(a));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_exchange_current_stream(a, &stream));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_push_current_stream(a, &scope));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_pop_current_stream(0));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_unwind_current_stream(1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_current_device(&device));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_set_current_device(0));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_exchange_device(0, &device));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_sleep(GS_STREAM_CURRENT, 1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_unregister(library.id));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_lead(library.id, 1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_follow(0));
        if (GetParam() == GS_BACKEND_CUDA) EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &pointer), -1);
        EXPECT_OK(gs_bridge_find("made up", &id));
        Event event = make_event(); // other calls work
        EXPECT_OK(gs_event_record(event, a));
    };
    EXPECT_EQ(current_stream(0), default_stream(0));
    EXPECT_EQ(runs, 1);
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(runs, 3) << "get and set";
    library.inside = nullptr;
}

TEST_P(Bridges, UnregisteringWaitsForThreadsInside) {
    Library library(GetParam());
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    std::atomic<bool> entered{false}, leave{false}, left{false}, ended{false};
    library.inside = [&] {
        entered = true;
        while (!leave) std::this_thread::yield();
        left = true;
    };
    std::thread user([&] { EXPECT_OK(gs_set_current_stream(a)); });
    while (!entered) std::this_thread::yield();
    std::thread owner([&] {
        EXPECT_OK(gs_bridge_unregister(library.id));
        EXPECT_TRUE(left) << "returned while a thread was inside";
        ended = true;
    });
    int32_t id = 0;
    while (gs_bridge_find("made up", &id) == GS_OK) std::this_thread::yield(); // it has begun
    EXPECT_FALSE(ended);
    const int gets = library.gets, sets = library.sets;
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(library.gets + library.sets, gets + sets) << "withdrawn: no thread enters any more";
    leave = true;
    user.join();
    owner.join();
    library.id = 0;
}

TEST_P(Bridges, ABridgeConcernsItsBackendOnly) {
    Library library(GetParam() == GS_BACKEND_HOST ? GS_BACKEND_CUDA : GS_BACKEND_HOST);
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    ASSERT_OK(gs_bridge_follow(library.id));
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(current_stream(0), a.get());
    EXPECT_EQ(library.gets + library.sets, 0);
}

TEST_P(Bridges, DlpackGetsTheWorkStream) {
    void *stream = &stream;
    EXPECT_EQ(gs_dlpack_current_work_stream(1, 0, &stream), 0);
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, nullptr), -1);
    EXPECT_EQ(last_error().status, GS_ERROR_INVALID_ARGUMENT);
    for (const auto &[type, id] : {std::pair{10, 0}, {3, 0}, {2, -1}, {2, 64}}) {
        stream = &stream;
        EXPECT_EQ(gs_dlpack_current_work_stream(type, id, &stream), -1) << type << ", " << id;
        EXPECT_EQ(last_error().status, GS_ERROR_INVALID_DEVICE);
        EXPECT_EQ(stream, nullptr);
    }
    std::thread([] {
        void *unused = &unused;
        EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &unused), 0) << "a thread that never used the library";
        EXPECT_EQ(unused, nullptr);
    }).join();
    if (GetParam() != GS_BACKEND_CUDA) return;
    Stream a = make_stream(0);
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), 0);
    EXPECT_EQ(stream, reinterpret_cast<void *>(native_of(a)));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, device_count(), &stream), -1);
    Library library(GetParam());
    library.change(0, 4096);
    ASSERT_OK(gs_bridge_follow(library.id));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), 0);
    EXPECT_EQ(stream, reinterpret_cast<void *>(4096)) << "theirs, not wrapped";
    library.fail_get = 1;
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), -1);
    EXPECT_EQ(last_error().status, GS_ERROR_DRIVER);
}

} // namespace gs::test
