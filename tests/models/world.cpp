// SPDX-License-Identifier: Apache-2.0
#include "models/world.hpp"

#include <cstdio>

#include "backend/host/host_backend.hpp"
#include "core/event/event_cache.hpp"
#include "core/event/event_calls.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/scope.hpp"
#include "support/instrumented/forwarding_backend.hpp"

namespace gs::models {
namespace {

// A driver has locks of its own, so its calls order memory by themselves.
Mutex g_driver_mutex;
DriverEvent g_event;
uint64_t g_submitted, g_done;

int g_object; // 0: ended
bool g_ended;

class Driver final : public test::ForwardingBackend {
public:
    using ForwardingBackend::ForwardingBackend;
    Status event_record(ThreadBlock &, uintptr_t event, StreamRef stream, bool) noexcept override {
        MutexLock lock(g_driver_mutex);
        require(event == kNative, "a record with a driver event that the slot does not have");
        g_event = {stream.native, ++g_submitted};
        return kOk;
    }
    Status event_query(ThreadBlock &, int32_t, uintptr_t event, bool *out_done) noexcept override {
        MutexLock lock(g_driver_mutex);
        require(event == kNative, "a query of a driver event that the slot does not have");
        *out_done = g_event.position <= g_done;
        return kOk;
    }
    Status event_synchronize(ThreadBlock &, int32_t, uintptr_t) noexcept override {
        use_object();
        return kOk;
    }
    Status stream_wait_event(ThreadBlock &, StreamRef, uintptr_t event, bool) noexcept override {
        require(event == kNative, "a wait for a driver event that the slot does not have");
        return kOk;
    }
};

std::atomic<uint32_t> g_healthy{0};

StreamSlot &bare_stream(StreamKind kind, uint32_t uid) {
    StreamSlot *slot = take_bare_stream();
    bind_slot(*slot, device(), {.kind = kind, .native = uid, .uid = uid});
    return *slot;
}

} // namespace

ThreadBlock &block(int thread) {
    static ThreadBlock *blocks[kMostModelThreads];
    ThreadBlock *&found = blocks[thread];
    if (!found) {
        found = reserve_block();
        attach_core(*found)->device = &device();
    }
    return *found;
}

Device &device() {
    static auto *const made = [] {
        auto *fresh = new Device;
        fresh->backend = new Driver(host_backend());
        fresh->health = &g_healthy;
        fresh->kind = GS_BACKEND_HOST;
        return fresh;
    }();
    return *made;
}

void renew_object() {
    g_object = 1;
    g_ended = false;
    watch(g_object, "the driver's object");
}
void use_object() { require(g_object == 1, "a call reached an object that had ended"); }
void end_object(void *) {
    require(g_object == 1, "the object ended twice");
    g_object = 0;
    g_ended = true;
}
bool object_ended() { return g_ended; }

DriverEvent driver_event() { return g_event; }
void finish_work() { g_done = g_submitted; }
void renew_driver() {
    g_event = {};
    g_submitted = g_done = 0;
}

uint64_t new_event(EventSlot **out) {
    uint64_t handle = 0;
    create_event(block(0), 0, &handle).ignore();
    *out = event_slots().find(handle);
    EventSlot &slot = **out;
    slot.traits.store(kEventNoPool | kEventReleased, std::memory_order_relaxed);
    slot.native.store(kNative, std::memory_order_relaxed);
    slot.native_device = &device();
    slot.release = {end_object};
    return handle;
}

uint64_t new_stream(bool ever_current, StreamSlot **out) {
    StreamSlot &slot = bare_stream(StreamKind::External, kUnknownStream);
    slot.release = {end_object};
    uint64_t handle = 0;
    publish_stream(block(0), slot, &handle);
    slot.ever_current.store(ever_current, std::memory_order_relaxed);
    *out = &slot;
    return handle;
}

StreamSlot &lasting_stream(uint32_t uid) {
    static StreamSlot *const a = &bare_stream(StreamKind::Dedicated, kUidA);
    static StreamSlot *const b = &bare_stream(StreamKind::Dedicated, kUidB);
    return uid == kUidA ? *a : *b;
}

void clean_up(uint64_t event, uint64_t stream) {
    for (int i = 0; i < kMostModelThreads; ++i) // a run that was given up may have left a scope
        while (block(i).core->depth.load(std::memory_order_relaxed) != 0)
            pop_scope(block(i), *block(i).core, 0).ignore();
    if (event != 0) release_event(block(0), event).ignore(); // mostly, the run has done it
    if (stream != 0) release_stream(block(0), stream).ignore();
    for (int i = 0; i < kMostModelThreads; ++i) {
        trim_events(block(i), block(i).core->events).ignore();
        collect_streams();
        // The next event takes the slot that was freed last.
        for (int list = 0; i != 0 && list < kEventClasses; ++list)
            block(0).core->events.free[list].take_from(block(i).core->events.free[list]);
    }
}

void set_marks(Marks marks) {
    prepare_marks();
    g_light_marks.store(marks == Marks::Light, std::memory_order_relaxed);
    g_marks_prepared.store(marks != Marks::Unasked, std::memory_order_relaxed);
}

Outcome explore_world(Model model, uint64_t most_runs) {
    for (size_t i = 0; i < model.threads.size(); ++i)
        model.threads[i] = [body = model.threads[i], thread = &block(static_cast<int>(i))] {
            t_block = thread;
            body();
        };
    return schedule::explore(model, {.most = most_runs, .weak = true});
}

void expect_sound(const Model &model) {
    const Outcome outcome = explore_world(model);
    EXPECT_EQ(outcome.text, "") << model.name;
    EXPECT_TRUE(outcome.complete) << model.name;
    EXPECT_GT(outcome.schedules - outcome.cut_short, 1u) << model.name << ": no two threads met";
    std::printf("[models] %s: %llu runs, %llu cut short\n", model.name.c_str(),
                static_cast<unsigned long long>(outcome.schedules), static_cast<unsigned long long>(outcome.cut_short));
}

void expect_found(const Model &model, testing::SeededBug bug) {
    const testing::Seeded seeded(bug);
    const Outcome outcome = explore_world(model);
    EXPECT_TRUE(outcome.failed) << model.name << ": no run breaks a rule";
    EXPECT_EQ(outcome.failed, outcome.repeated) << model.name << ": the run does not break it each time";
    std::printf("[models] %s, seeded: found in run %llu\n", model.name.c_str(),
                static_cast<unsigned long long>(outcome.schedules));
}

} // namespace gs::models
