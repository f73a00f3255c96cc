// SPDX-License-Identifier: Apache-2.0
#include "tools/leaks/births.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "core/names.hpp"
#include "tools/leaks/leaks.hpp"
#include "tools/tool_locks.hpp"

namespace gs {
namespace {

struct Birth {
    const SlotBase *slot = nullptr; // slots stay
    uint64_t handle = 0;
    Maker maker;
};

// By place, which the next object of the slot takes over. Never freed: threads may run until the very end.
std::map<uint64_t, Birth> *g_births GS_GUARDED_BY(g_births_mutex) = nullptr;

const char *kind_text(uint64_t handle) noexcept {
    switch (handle_kind(handle)) {
    case Kind::Graph: return "graph";
    case Kind::Stream: return "stream";
    case Kind::GraphExec: return "executable graph";
    case Kind::Event: return "event";
    case Kind::Queue: return "queue";
    case Kind::Module: return "module";
    case Kind::Timeline: return "timeline";
    case Kind::Pool: return "pool";
    default: return nullptr; // kernels end with their module; the others are the library's own
    }
}

uint64_t birth_place(uint64_t handle) noexcept {
    return static_cast<uint64_t>(handle_kind(handle)) << 32 | handle_index(handle);
}

// Live, and some caller's. It may end while this is read: slots stay, and what is read of them is atomic.
bool is_held(const Birth &birth) noexcept {
    return birth.slot->handle.load(std::memory_order_relaxed) == birth.handle &&
           birth.slot->users.load(std::memory_order_relaxed) != 0;
}

std::vector<Birth> held_objects() {
    MutexLock lock(g_births_mutex);
    std::vector<Birth> held;
    for (const auto &[place, birth] : *g_births)
        if (is_held(birth)) held.push_back(birth);
    return held;
}

LeakPart find_held_objects() {
    const std::vector<Birth> held = held_objects();
    LeakPart part{held.size(), count_text(held.size(), "object"), {}};
    for (size_t i = 0; i < std::min(held.size(), kMostLeaksShown); ++i) {
        part.lines += std::string("  ") + kind_text(held[i].handle) + " " + describe_object(held[i].handle).text +
                      ", made by thread " + decimal(held[i].maker.thread) + "\n" + frame_lines(held[i].maker);
    }
    if (held.size() > kMostLeaksShown)
        part.lines += "  and " + count_text(held.size() - kMostLeaksShown, "more object") + "\n";
    return part;
}

void add_birth(const SlotBase &slot, uint64_t handle) {
    Birth birth{&slot, handle, this_maker()};
    guard_tool_locks();
    MutexLock lock(g_births_mutex);
    if (!g_births) g_births = new std::map<uint64_t, Birth>;
    (*g_births)[birth_place(handle)] = std::move(birth);
    add_leaks(Leaks::Objects, find_held_objects);
}

} // namespace

uint64_t maker_thread(uint64_t handle) {
    MutexLock lock(g_births_mutex);
    if (!g_births) return 0;
    const auto found = g_births->find(birth_place(handle));
    return found != g_births->end() && found->second.handle == handle ? found->second.maker.thread : 0;
}

namespace leaks {

void forget_birth(uint64_t handle) noexcept {
    guard_tool_locks();
    MutexLock lock(g_births_mutex);
    if (!g_births) return;
    const auto found = g_births->find(birth_place(handle));
    if (found != g_births->end() && found->second.handle == handle) g_births->erase(found);
}

void note_birth(const SlotBase &slot, uint64_t handle) noexcept {
    if (!reports_leaks() || !kind_text(handle)) return;
    try {
        add_birth(slot, handle);
    } catch (const std::bad_alloc &) {
        warn_of_unknown_maker();
    }
}

} // namespace leaks

} // namespace gs
