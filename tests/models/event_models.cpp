// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_cache.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "handle/grace.hpp"
#include "models/models.hpp"

namespace gs::models {
namespace {

uint64_t g_handle, g_second;
EventSlot *g_slot;

// A call on the event: under a mark from the look at its handle to the return of the driver's call.
void call_on_event(ThreadBlock &thread) {
    CallMark mark(thread);
    if (find_event(thread, g_handle)) use_object();
}

std::function<void()> set_up(Marks marks) {
    return [=] {
        set_marks(marks);
        renew_driver();
        renew_object();
        g_second = 0;
        g_handle = new_event(&g_slot);
    };
}

void destroy() { require(release_event(block(0), g_handle).ok(), "the only destroy failed"); }

void clean() {
    // Records are tried on an event whose driver event is not ended with it.
    if (g_slot->handle.load(std::memory_order_relaxed) == g_handle)
        g_slot->traits.store(kEventNoPool | kEventReleased, std::memory_order_relaxed);
    clean_up(g_handle, 0);
    clean_up(g_second, 0);
}

// The destroy has ended it by now, or the grace period does as soon as it is asked.
void check_ended() {
    clean();
    require(object_ended(), "the object never ends");
}

} // namespace

Model event_ends(bool shared, Marks marks) {
    const auto first = set_up(marks);
    return {marks == Marks::Unasked ? "marks_become_light"
            : shared                ? "shared_event_ends"
                                    : "event_ends",
            [=] {
                first();
                if (shared) g_slot->owner.store(kManyOwners, std::memory_order_relaxed);
            },
            {destroy, [] { call_on_event(block(1)); }},
            check_ended,
            clean};
}

Model event_ends_used_twice(Marks marks) {
    return {"event_ends_used_twice",
            set_up(marks),
            {destroy, [] { call_on_event(block(1)); }, [] { call_on_event(block(2)); }},
            check_ended,
            clean};
}

Model event_ends_blocking(Marks marks) {
    const auto first = set_up(marks);
    return {"event_ends_blocking",
            [=] {
                first();
                g_slot->word.store(record_word(kUidA, 5), std::memory_order_relaxed);
                g_slot->device.store(&device(), std::memory_order_relaxed);
            },
            {destroy, [] { synchronize_event(block(1), g_handle).ignore(); }},
            check_ended,
            clean};
}

// The flags are plain memory: only the slot's next owner writes them.
Model event_slot_is_reused(Marks marks) {
    const auto first = set_up(marks);
    return {"event_slot_is_reused",
            [=] {
                first();
                watch(g_slot->flags, "flags of the slot");
                watch(g_slot->native_device, "native_device of the slot");
            },
            {[] {
                 destroy();
                 trim_events(block(0), block(0).core->events).ignore();
                 create_event(block(0), 0, &g_second).ignore();
             },
             [] {
                 CallMark mark(block(1));
                 if (const EventSlot *slot = find_event(block(1), g_handle)) {
                     require(slot->flags == 0 && slot->native_device == &device(), "the slot is another event's");
                     use_object();
                 }
             }},
            check_ended,
            clean};
}

Model event_destroyed_twice(Marks marks) {
    static bool first, second;
    return {"event_destroyed_twice",
            set_up(marks),
            {[] { first = release_event(block(0), g_handle).ok(); },
             [] { second = release_event(block(1), g_handle).ok(); }},
            [] {
                require(first != second, "one of two destroys succeeds");
                check_ended();
            },
            clean};
}

Model first_record_is_seen_whole() {
    const auto first = set_up(Marks::Light);
    return {"first_record_is_seen_whole",
            [=] {
                first();
                g_slot->traits.store(0, std::memory_order_relaxed);
                // Its driver event is made with its first record.
                watch(g_slot->native_device, "native_device of the slot");
                (void)lasting_stream(kUidA);
            },
            {[] {
                 CallMark mark(block(0));
                 require(record_event(block(0), *g_slot, lasting_stream(kUidA)).ok(), "a record failed");
             },
             [] {
                 CallMark mark(block(1));
                 int32_t done = 0;
                 if (EventSlot *slot = find_event(block(1), g_handle)) {
                     require(query_event(block(1), *slot, &done).ok(), "a query failed");
                     require(wait_event(block(1), lasting_stream(kUidB), *slot).ok(), "a wait failed");
                 }
             }},
            nullptr,
            clean};
}

Model two_records_race() {
    const auto first = set_up(Marks::Light);
    const auto record = [](int thread, uint32_t uid) {
        CallMark mark(block(thread));
        if (EventSlot *slot = find_event(block(thread), g_handle))
            require(record_event(block(thread), *slot, lasting_stream(uid)).ok(), "a record failed");
    };
    return {"two_records_race",
            [=] {
                first();
                g_slot->device.store(&device(), std::memory_order_relaxed);
                (void)lasting_stream(kUidA);
            },
            {[=] { record(0, kUidA); }, [=] { record(1, kUidB); }},
            [] {
                const uint32_t said = word_stream(g_slot->word.load(std::memory_order_relaxed));
                require(said == kUnknownStream || said == driver_event().stream,
                        "a wait in the stream of the other record would be left out");
            },
            clean};
}

Model record_ends_completeness() {
    const auto first = set_up(Marks::Light);
    return {"record_ends_completeness",
            [=] {
                first();
                g_slot->device.store(&device(), std::memory_order_relaxed);
                record_event(block(0), *g_slot, lasting_stream(kUidA)).ignore();
                finish_work(); // the first record is done, a second one is not
            },
            {[] {
                 CallMark mark(block(0));
                 int32_t done = 0;
                 require(record_event(block(0), *g_slot, lasting_stream(kUidA)).ok(), "a record failed");
                 require(query_event(block(0), *g_slot, &done).ok(), "a query failed");
                 require(done == 0, "a record that is not done is taken for complete");
             },
             [] {
                 CallMark mark(block(1));
                 int32_t done = 0;
                 if (EventSlot *slot = find_event(block(1), g_handle))
                     require(query_event(block(1), *slot, &done).ok(), "a query failed");
             }},
            nullptr,
            clean};
}

} // namespace gs::models
