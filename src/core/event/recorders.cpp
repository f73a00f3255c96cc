// SPDX-License-Identifier: Apache-2.0
#include "core/event/recorders.hpp"

#include "base/give_way.hpp"

namespace gs {
namespace {

constexpr uint32_t kEnding = kManyOwners - 1; // used by others, and the maker may be about to publish a record

} // namespace

uint64_t publish_beside_others(EventSlot &event, uint64_t before, uint32_t stream_uid) noexcept {
    return publish_record(event, before, stream_uid);
}

// Threads that come at the same time all wait: none of them may change the word before the maker's last plain store.
void end_being_alone(EventSlot &event) noexcept {
    if (event.owner.load(std::memory_order_acquire) == kManyOwners) return;
    event.owner.store(kEnding, std::memory_order_relaxed);
    heavy_barrier();
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next)
        // Pairs with the release in publish_own_record: model two_records_race.
        for (int round = 0; thread->publishing.load(std::memory_order_acquire) == &event; ++round) give_way(round);
    event.owner.store(kManyOwners, std::memory_order_release);
}

} // namespace gs
