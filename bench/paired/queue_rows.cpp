// SPDX-License-Identifier: Apache-2.0
// Entries of queues beside the record that each of them makes.
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr int kEntries = 100; // in a batch
// Work of so long, in whose first part the batch falls: the scanner sleeps then, as it does beside long work.
constexpr std::chrono::microseconds kBefore{200}, kAfter{2'000};

} // namespace

// An add records an event of its own, so the records beside it are of as many events. The stream is held all the time, and has an
// entry already: the first one wakes the scanner, which bench/core's completion measures.
void add_queue_rows(Pairs &pairs) {
    StreamPair stream;
    const auto events = std::make_unique<EventPair[]>(kEntries);
    gs_queue_t queue = nullptr;
    (void)gs_queue_create(kEntries + 1, 0, &queue);
    size_t pending = 0;
    std::optional<Hold> hold;
    const auto add = [&](int i) {
        const gs_status_t status = gs_queue_add_stream(queue, stream.ours, static_cast<uint64_t>(i));
        pending += status == GS_OK;
        return status;
    };
    const auto drain = [&] {
        if (hold) std::this_thread::sleep_for(kAfter);
        hold.reset();
        stream.settle();
        while (pending != 0) {
            gs_completion_t taken[kEntries];
            size_t count = 0;
            if (gs_queue_wait(queue, taken, kEntries, -1, &count) != GS_OK) break;
            pending -= count;
        }
    };
    pairs.add_beside(
        "queue add, beside gs_event_record", kEntries,
        [&](int i) { return gs_event_record(events[static_cast<size_t>(i % kEntries)].ours, stream.ours); }, add,
        [&] {
            drain();
            hold.emplace(stream);
            (void)add(0);
            std::this_thread::sleep_for(kBefore);
        });
    drain();
    (void)gs_queue_destroy(queue);
}

} // namespace paired
