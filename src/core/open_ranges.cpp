// SPDX-License-Identifier: Apache-2.0
#include "core/open_ranges.hpp"

#include <cstring>
#include <new>

namespace gs {
namespace {

void end_named_thread(ThreadBlock &thread) noexcept {
    if (OpenRanges *ranges = thread.ranges.load(std::memory_order_relaxed)) ranges->clear();
}

OpenRanges *keep_ranges(ThreadBlock &thread, OpenRanges *ranges) noexcept {
    // Publishes plain memory, as the record does in model first_record_is_seen_whole.
    thread.ranges.store(ranges, std::memory_order_release);
    return ranges;
}

} // namespace

void OpenRanges::push(uint64_t thread, const char *name) noexcept {
    const uint64_t open = open_.load(std::memory_order_relaxed);
    if (open == 0) thread_.store(thread, std::memory_order_relaxed);
    if (open < kNamed) {
        Name &to = names_[open];
        uint64_t words[kWords] = {};
        std::memcpy(words, name, strnlen(name, kNameBytes - 1));
        const uint64_t number = set_.load(std::memory_order_relaxed) + 1;
        to.number.store(0, std::memory_order_relaxed);
        for (uint32_t i = 0; i < kWords; ++i) store(to.words[i], words[i]);
        store(to.number, number);
        set_.store(number, std::memory_order_relaxed);
    }
    store(open_, open + 1);
}

void OpenRanges::pop() noexcept {
    const uint64_t open = open_.load(std::memory_order_relaxed);
    if (open != 0) store(open_, open - 1); // one-sided: it counts as its caller does
}

OpenRanges *open_ranges_of(ThreadBlock &thread) noexcept {
    if (OpenRanges *present = thread.ranges.load(std::memory_order_relaxed)) return present;
    if (!add_thread_exit_hook(end_named_thread)) return nullptr; // one-sided: the table has room for all hooks
    OpenRanges *made = new (std::nothrow) OpenRanges;
    return made ? keep_ranges(thread, made) : nullptr;
}

void keep_ranges_in(ThreadBlock &thread, void *memory) noexcept {
    const bool none = thread.ranges.load(std::memory_order_relaxed) == nullptr;
    if (none && add_thread_exit_hook(end_named_thread)) keep_ranges(thread, ::new (memory) OpenRanges);
}

} // namespace gs
