// SPDX-License-Identifier: Apache-2.0
// A call in flight never touches another owner's object. A thread is stopped between checking its handle and its driver
// call; then the object is destroyed and new ones are created. Each scenario also runs with the protection switched off
// and must then find the violation; otherwise it would prove nothing.
#include <vector>

#include "conformance/conformance.hpp"
#include "conformance/parked.hpp"
#include "support/own_process.hpp"
#include "support/seeded_bug.hpp"

namespace gs::test {
namespace {

using gs::testing::SeededBug;
constexpr int kNewOwners = 100; // more than one batch of the reclaimer

// A record of a destroyed event, in flight. Returns true if it overwrote a new event's pending record.
bool record_hits_a_new_event(SeededBug bug) {
    const Seeded seeded(bug);
    Stream idle = make_stream(0), held = make_stream(0);
    const gs_event_t old = make_event().release();
    EXPECT_OK(gs_event_record(old, idle));
    EXPECT_OK(gs_event_synchronize(old));
    Gate gate;
    EXPECT_OK(gate.hold(held));
    std::vector<Event> events;
    with_parked_call([&] { EXPECT_OK(gs_event_record(old, idle)); },
                     [&] {
                         EXPECT_OK(gs_event_destroy(old));
                         // Begins a grace period for it and checks twice whether it is over. (With the bug the driver's
                         // event would be destroyed, and the record in flight might crash a real driver.)
                         for (int i = 0; i < 3 && bug == SeededBug::None; ++i) EXPECT_OK(gs_trim());
                         for (int i = 0; i < kNewOwners; ++i) {
                             events.push_back(make_event());
                             EXPECT_OK(gs_event_record(events.back(), held));
                         }
                     });
    EXPECT_OK(gs_stream_synchronize(idle));
    bool hit = false;
    for (const Event &event : events) hit |= done(event.get()); // none can be: their stream is held
    gate.open();
    for (const Event &event : events) EXPECT_OK(gs_event_synchronize(event));
    return hit;
}

// A query of a destroyed stream, in flight. Returns true if its driver stream belonged to a new owner by then.
bool query_hits_a_new_stream(SeededBug bug) {
    const Seeded seeded(bug);
    const gs_stream_t old = make_stream(0).release();
    EXPECT_OK(gs_stream_sleep(old, 1));
    EXPECT_OK(gs_stream_synchronize(old));
    const uint64_t hash = hash_of(old); // of the driver stream, without exporting it
    bool hit = false;
    with_parked_call(
        [&] {
            int32_t answer = 0;
            EXPECT_OK(gs_stream_query(old, &answer));
        },
        [&] {
            EXPECT_OK(gs_stream_destroy(old));
            std::vector<Stream> streams;
            for (int i = 0; i < kNewOwners; ++i) {
                streams.push_back(make_stream(0));
                hit |= hash_of(streams.back()) == hash;
            }
        });
    return hit;
}

// A blocking call on a destroyed event. Returns true if its driver event was reused by a new owner.
bool new_event_while_synchronizing(SeededBug bug) {
    const Seeded seeded(bug);
    Stream held = make_stream(0), idle = make_stream(0);
    const gs_event_t old = make_event().release();
    Gate gate;
    EXPECT_OK(gate.hold(held));
    EXPECT_OK(gs_event_record(old, held));
    uint64_t old_id = 0;
    EXPECT_OK(gs_event_id(old, &old_id));
    StatsDelta stats;
    std::thread waiter([&] { EXPECT_OK(gs_event_synchronize(old)); });
    while (stats.since(&gs_stats_t::synchronizes) == 0) std::this_thread::yield(); // counted with the pin in place
    EXPECT_OK(gs_event_destroy(old));
    bool hit = false;
    std::vector<Event> events;
    for (int i = 0; i < 3 * kNewOwners; ++i) {
        events.push_back(make_event());
        EXPECT_OK(gs_event_record(events.back(), idle));
        uint64_t id = 0;
        EXPECT_OK(gs_event_id(events.back(), &id));
        hit |= id == old_id;
        if (i % 2) events.back().reset(); // keeps the reclaimer busy
    }
    gate.open();
    waiter.join();
    return hit;
}

// Wraps the raw handle of `stream` in a call that is stopped after it has found the stream, which is then destroyed.
gs_status_t wrap_while_destroyed(gs_stream_t stream, gs_stream_t *out_wrapped) {
    gs_status_t status = GS_OK;
    const uintptr_t native = native_of(stream);
    with_parked_call([&] { status = gs_stream_from_native(0, native, out_wrapped); },
                     [&] { EXPECT_OK(gs_stream_destroy(stream)); });
    return status;
}

} // namespace

TEST_P(Conformance, Reuse_RecordInFlight) { EXPECT_FALSE(record_hits_a_new_event(SeededBug::None)); }

TEST_P(Conformance, Reuse_StreamQueryInFlight) { EXPECT_FALSE(query_hits_a_new_stream(SeededBug::None)); }

TEST_P(Conformance, Reuse_EventSynchronizeInFlight) { EXPECT_FALSE(new_event_while_synchronizing(SeededBug::None)); }

TEST_P(ConformanceProcess, ReuseFixture_RecordInFlight) {
    OWN_PROCESS();
    EXPECT_TRUE(record_hits_a_new_event(SeededBug::ReuseWithoutGrace)) << "the scenario does not see the seeded bug";
}

TEST_P(ConformanceProcess, ReuseFixture_StreamQueryInFlight) {
    OWN_PROCESS();
    EXPECT_TRUE(query_hits_a_new_stream(SeededBug::ReuseWithoutGrace)) << "the scenario does not see the seeded bug";
}

TEST_P(ConformanceProcess, ReuseFixture_EventSynchronizeInFlight) {
    OWN_PROCESS();
    EXPECT_TRUE(new_event_while_synchronizing(SeededBug::ReuseWithoutGrace))
        << "the scenario does not see the seeded bug";
}

TEST_P(Conformance, Reuse_ManyRoundsStayClean) {
    for (int round = 0; round < 20; ++round) {
        ASSERT_FALSE(record_hits_a_new_event(SeededBug::None)) << round;
        ASSERT_FALSE(query_hits_a_new_stream(SeededBug::None)) << round;
    }
}

// Several handles name one shared driver stream; the one that its raw handle refers to is destroyed while it is wrapped.
TEST_P(Conformance, Reuse_ASharedStreamOutlivesTheHandleThatIsWrapped) {
    gs_stream_t wrapped = nullptr;
    const gs_stream_t first = make_stream(0, GS_STREAM_SHARED).release();
    std::vector<Stream> others;
    while (others.empty() || hash_of(others.back()) != hash_of(first))
        others.push_back(make_stream(0, GS_STREAM_SHARED));
    const Stream twin = std::move(others.back());
    ASSERT_EQ(native_of(twin), native_of(first));
    ASSERT_OK(wrap_while_destroyed(first, &wrapped));
    const Stream owned(wrapped);
    int32_t same = 0;
    EXPECT_OK(gs_stream_equal(twin, wrapped, &same));
    EXPECT_EQ(same, 1);
    EXPECT_OK(gs_stream_sleep(wrapped, 1));
    EXPECT_OK(gs_stream_synchronize(wrapped));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_retain(first));
}

TEST_P(Conformance, Reuse_AStreamThatEndsWhileItIsWrapped) {
    gs_stream_t wrapped = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, wrap_while_destroyed(make_stream(0).release(), &wrapped));
    EXPECT_EQ(wrapped, nullptr);
}

} // namespace gs::test
