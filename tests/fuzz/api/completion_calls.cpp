// SPDX-License-Identifier: Apache-2.0
// Queues: entries are an array, which has as many places as the argument beside it says.
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

constexpr size_t kRoom = 16;

struct Room {
    explicit Room(Arguments &a) : is_null(a.byte() == 0xFF), capacity(a.byte() % (kRoom + 1)) {}
    bool is_null;
    size_t capacity;
    gs_completion_t entries[kRoom];
    gs_completion_t *place() { return is_null ? nullptr : entries; }
};

void check(Arguments &a, const Room &room, const size_t *count) {
    if (a.status() != GS_OK) return;
    FUZZ_REQUIRE(!room.is_null && room.capacity > 0, "no room for entries");
    FUZZ_REQUIRE(*count <= room.capacity, "more entries than there is room for");
    for (size_t i = 0; i < *count; ++i)
        FUZZ_REQUIRE(room.entries[i].reserved == 0 && room.entries[i].time_ns != 0, "an entry that was not filled");
}

void poll(Arguments &a) {
    const auto queue = a.handle<gs_queue_t>("queue");
    Room room(a);
    size_t *count = a.output<size_t>("out_count");
    a.returned(gs_queue_poll(queue, room.place(), room.capacity, count));
    check(a, room, count);
}

void wait(Arguments &a) {
    const auto queue = a.handle<gs_queue_t>("queue");
    Room room(a);
    const auto timeout_ns = a.amount<int64_t>("timeout_ns");
    size_t *count = a.output<size_t>("out_count");
    a.returned(gs_queue_wait(queue, room.place(), room.capacity, timeout_ns, count));
    check(a, room, count);
}

} // namespace

std::vector<SpecialCall> completion_calls() { return {{"gs_queue_poll", poll}, {"gs_queue_wait", wait}}; }

} // namespace gs::fuzz
