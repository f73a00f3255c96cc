// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_lease.hpp"

#include "base/clock.hpp"
#include "core/token/token_marks.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

constexpr uint64_t kReadersEveryNs = 5000000; // asking the system about a process costs microseconds

// Does a living reader hold one of the bits?
bool held_by_readers(TokenFile &file, const std::atomic<uint64_t> &bits) noexcept {
    if (bits.load(std::memory_order_seq_cst) == 0) return false; // model "token_call_or_next_token"
    drop_dead_readers(file);
    return bits.load(std::memory_order_seq_cst) != 0;
}

Lease see_point(ThreadBlock &thread, const TokenSlot &slot, uint64_t generation) noexcept {
    TokenCell &cell = slot.cell();
    if (cell.reached.load(std::memory_order_acquire) == generation) return Lease::Over;
    const Device &device = *slot.file->device;
    bool done = false;
    const CallMark mark(thread); // a reset of the device waits for the question
    const Status status = device.backend->event_query(thread, device.ordinal, slot.event, &done);
    if (!status.ok()) {
        if (check_health(device).ok()) return Lease::Goes; // it is asked again
        cell.lost.store(generation, std::memory_order_release);
        return Lease::Lost;
    }
    if (!done) return Lease::Goes;
    cell.reached.store(generation, std::memory_order_release);
    return Lease::Over;
}

} // namespace

void drop_dead_readers(TokenFile &file) noexcept {
    MutexLock lock(file.readers_mutex); // two threads could take the bits of a place's next reader
    const uint64_t now = monotonic_ns();
    if (now - file.looked_ns < kReadersEveryNs) return;
    file.looked_ns = now;
    TokenShared &shared = *file.shared;
    for (uint32_t place = 0; place < kTokenReaders; ++place) {
        const uint64_t word = shared.readers[place].load(std::memory_order_acquire);
        // Only processes of the same namespace become readers.
        if (word == 0 || !is_dead(process_of_word(word, file.name.creator))) continue;
        for (TokenCell &cell : shared.cells) {
            cell.opened.fetch_and(~(uint64_t{1} << place), std::memory_order_acq_rel);
            cell.in_call.fetch_and(~(uint64_t{1} << place), std::memory_order_acq_rel);
        }
        shared.readers[place].store(0, std::memory_order_release);
    }
    shared.crowded.store(0, std::memory_order_relaxed);
}

Lease look_at_lease(ThreadBlock &thread, TokenSlot &slot, uint64_t lease_ns, Mutex &pool) noexcept {
    TokenCell &cell = slot.cell();
    // Here as well as for the file of a new token: the readers of an older file find no place either.
    if (slot.file->shared->crowded.load(std::memory_order_relaxed) != 0) drop_dead_readers(*slot.file);
    const uint64_t generation = cell.generation.load(std::memory_order_relaxed);
    if (generation % 2 == 1) {
        const bool waited = cell.waited.load(std::memory_order_acquire) == generation;
        const bool expired = monotonic_ns() - slot.created_ns >= lease_ns;
        if (!waited && !expired) return Lease::Goes;
        if (!expired && held_by_readers(*slot.file, cell.opened)) return Lease::Goes;
        if (const Lease seen = see_point(thread, slot, generation); seen != Lease::Over) return seen;
        MutexLock lock(pool);
        if (slot.users != 0) return Lease::Goes;
        end_generation(cell, generation);
    }
    if (held_by_readers(*slot.file, cell.in_call)) return Lease::Goes;
    cell.opened.store(0, std::memory_order_relaxed); // of readers that did not come back in time
    return Lease::Over;
}

} // namespace gs
