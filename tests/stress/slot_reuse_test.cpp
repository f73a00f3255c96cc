// SPDX-License-Identifier: Apache-2.0
// The race that generations alone do not cover. Between a thread's check of a handle and its driver call, the object is
// destroyed and its slot is requested for another owner. A hook stops the first thread at exactly that place.
#include <algorithm>

#include "base/testing.hpp"
#include "core/slots.hpp"
#include "stress.hpp"
#include "support/gate.hpp"
#include "support/seeded_bug.hpp"

namespace gs::test {
namespace {

using gs::testing::SeededBug;
using gs::testing::Yield;

// Stops the one thread that asks for it at the next AfterCheck.
class Stop {
public:
    Stop() {
        current_ = this;
        gs::testing::yield_hook = &Stop::hook;
    }
    ~Stop() {
        gs::testing::yield_hook = nullptr;
        current_ = nullptr;
    }
    void arm() { armed_thread_ = std::this_thread::get_id(); }
    void wait_until_stopped() {
        while (!stopped_) std::this_thread::yield();
    }
    void go() { go_ = true; }

private:
    static void hook(Yield where) {
        Stop *stop = current_;
        if (where != Yield::AfterCheck || !stop || stop->stopped_ ||
            stop->armed_thread_.load() != std::this_thread::get_id())
            return;
        stop->stopped_ = true;
        while (!stop->go_) std::this_thread::yield();
    }
    static inline std::atomic<Stop *> current_{nullptr};
    std::atomic<std::thread::id> armed_thread_{};
    std::atomic<bool> stopped_{false};
    std::atomic<bool> go_{false};
};

struct Seeded {
    explicit Seeded(SeededBug bug) { gs::testing::seeded_bug = bug; }
    ~Seeded() { gs::testing::seeded_bug = SeededBug::None; }
};

// Returns true if the late record of a destroyed event made a new owner's event pending.
bool late_record_disturbs_a_new_event() {
    Stop stop;
    Stream held = make_stream(0);
    Stream free = make_stream(0);
    Gate gate;
    EXPECT_OK(gate.hold(held));
    gs_event_t doomed = nullptr;
    EXPECT_OK(gs_event_create(0, &doomed));
    EXPECT_OK(gs_event_record(doomed, free));
    EXPECT_OK(gs_event_synchronize(doomed));
    std::thread late([&] {
        stop.arm();
        EXPECT_ALIVE_OR_GONE(gs_event_record(doomed, held)); // stays pending until the gate opens
    });
    stop.wait_until_stopped();
    EXPECT_OK(gs_event_destroy(doomed));
    std::vector<Event> fresh; // more than one batch, so that every reusable slot is reused
    for (int i = 0; i < 200; ++i) {
        fresh.push_back(make_event());
        EXPECT_OK(gs_event_record(fresh.back(), free));
    }
    EXPECT_OK(gs_stream_synchronize(free));
    stop.go();
    late.join();
    // Queried through the driver's handle: the library itself would report "known complete".
    bool disturbed = false;
    for (Event &event : fresh) {
        uintptr_t native = 0;
        EXPECT_OK(gs_event_native(event, &native));
        disturbed |= !done(event);
    }
    gate.open();
    EXPECT_OK(gs_stream_synchronize(held));
    return disturbed;
}

TEST(SlotReuse, ALateRecordNeverMeetsANewEvent) {
    for (int i = 0; i < rounds(50, 10); ++i) EXPECT_FALSE(late_record_disturbs_a_new_event());
    settle();
}

TEST(SlotReuse, WithoutGraceItDoes) {
    Seeded bug(SeededBug::ReuseWithoutGrace);
    EXPECT_TRUE(late_record_disturbs_a_new_event());
}

// The same for streams: a late wait must not hold up the next owner of the driver stream.
bool late_wait_disturbs_a_new_stream() {
    Stop stop;
    Stream held = make_stream(0);
    Gate gate;
    EXPECT_OK(gate.hold(held));
    Event pending = make_event();
    EXPECT_OK(gs_event_record(pending, held));
    gs_stream_t doomed = nullptr;
    EXPECT_OK(gs_stream_create(0, 0, 0, &doomed));
    std::thread late([&] {
        stop.arm();
        EXPECT_ALIVE_OR_GONE(gs_stream_wait_event(doomed, pending));
    });
    stop.wait_until_stopped();
    EXPECT_OK(gs_stream_destroy(doomed));
    std::vector<Stream> fresh;
    for (int i = 0; i < 20; ++i) fresh.push_back(make_stream(0));
    stop.go();
    late.join();
    bool disturbed = false;
    for (Stream &stream : fresh) {
        // A stream that its thread has not used is known to be idle: this has the driver asked.
        stream_slots().find(handle_bits(stream.get()))->use.store(StreamUse::Some);
        disturbed |= !done(stream);
    }
    gate.open();
    EXPECT_OK(gs_stream_synchronize(held));
    return disturbed;
}

TEST(SlotReuse, ALateWaitNeverMeetsANewStream) {
    for (int i = 0; i < rounds(50, 10); ++i) EXPECT_FALSE(late_wait_disturbs_a_new_stream());
    settle();
}

TEST(SlotReuse, WithoutGraceItDoesToo) {
    Seeded bug(SeededBug::ReuseWithoutGrace);
    EXPECT_TRUE(late_wait_disturbs_a_new_stream());
}

// Between finding a handle and reading the slot's owner the slot may have begun another life that all threads share.
TEST(SlotReuse, AnOldHandleIsRefusedInASlotThatIsEverybodysAgain) {
    SlotBase slot;
    slot.handle = make_handle(Kind::Event, 0, 2, 0);
    slot.owner = kManyOwners;
    EXPECT_FALSE(note_use(slot, make_handle(Kind::Event, 0, 1, 0), 7));
    EXPECT_TRUE(note_use(slot, make_handle(Kind::Event, 0, 2, 0), 7));
    slot.owner = 3; // another thread's: becomes shared by the first use
    EXPECT_FALSE(note_use(slot, make_handle(Kind::Event, 0, 1, 0), 7));
    slot.owner = 3;
    EXPECT_TRUE(note_use(slot, make_handle(Kind::Event, 0, 2, 0), 7));
    EXPECT_EQ(slot.owner, kManyOwners);
}

// A handle's number is never reused, however often its slot is.
TEST(SlotReuse, NumbersNeverComeBack) {
    std::vector<gs_event_t> old;
    for (int i = 0; i < rounds(20'000, 2'000); ++i) {
        gs_event_t event = nullptr;
        ASSERT_OK(gs_event_create(0, &event));
        old.push_back(event);
        ASSERT_OK(gs_event_destroy(event));
    }
    std::sort(old.begin(), old.end());
    EXPECT_EQ(std::adjacent_find(old.begin(), old.end()), old.end());
    uint64_t id = 0;
    for (gs_event_t event : old) ASSERT_EQ(gs_event_id(event, &id), GS_ERROR_INVALID_HANDLE);
}

} // namespace
} // namespace gs::test
