// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/pending_names.hpp"

#include <new>
#include <set>

#include "core/lookup.hpp"
#include "core/names.hpp"
#include "handle/grace.hpp"
#include "tools/tool_locks.hpp"
#include "tools/trace/nvtx_tool.hpp"

namespace gs::trace {
namespace {

// Never destroyed: threads may record events while the process exits.
std::set<uint64_t> &kept_names() GS_REQUIRES(g_trace_mutex) {
    static auto *names = new std::set<uint64_t>;
    return *names;
}

// Whether it was kept.
bool take_kept_name(uint64_t event) noexcept {
    MutexLock lock(g_trace_mutex);
    const bool found = kept_names().erase(event) != 0;
    if (kept_names().empty()) g_rare_state.fetch_and(~uint32_t{kRareNamesKept}, std::memory_order_relaxed);
    return found;
}

} // namespace

void keep_name_for_tool(uint64_t event) noexcept {
    if (!tool_hears_event_names()) return;
    guard_tool_locks();
    MutexLock lock(g_trace_mutex);
    try {
        kept_names().insert(event);
        g_rare_state.fetch_or(kRareNamesKept, std::memory_order_relaxed);
    } catch (const std::bad_alloc &) {
        // The library's own texts have the name; the tool does without.
    }
}

void tell_kept_name(uint64_t event) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread || !take_kept_name(event)) return;
    uintptr_t native = 0;
    {
        CallMark mark(*thread);
        const EventSlot *slot = find_event(*thread, event);
        // As model first_record_is_seen_whole: the driver event comes with the device.
        const Device *device = slot ? slot->device.load(std::memory_order_acquire) : nullptr;
        if (device && (device->backend->caps() & kCapNvtxNames) != 0)
            native = slot->native.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    }
    const NameText name = name_of_object(event);
    if (native != 0 && name.text[0] != '\0') tell_event_name(native, name.text);
}

void drop_kept_name(uint64_t event) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return;
    bool lives = false;
    {
        CallMark mark(*thread);
        lives = find_event(*thread, event) != nullptr;
    }
    if (!lives) (void)take_kept_name(event);
}

} // namespace gs::trace
