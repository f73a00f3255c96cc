// SPDX-License-Identifier: Apache-2.0
// --leaks: who made the driver's streams and events and allocated memory, for the report of tools/leaks.
#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "front/watch.hpp"
#include "tools/call_stack.hpp"
#include "tools/leaks/leaks.hpp"
#include "tools/tool_locks.hpp"

namespace gs::front {
namespace {

enum class Thing { Stream, Event, Memory, HostMemory };
constexpr const char *kThings[] = {"stream", "event", "device memory", "host memory"};
constexpr size_t kMostShown = 100;

struct DriverBirth {
    uint64_t bytes = 0;
    Maker maker;
    std::string python;
};
using Key = std::pair<Thing, uint64_t>;

// Never freed: threads may run until the very end.
std::map<Key, DriverBirth> *g_driver_births GS_GUARDED_BY(g_births_mutex) = nullptr;

std::string birth_lines(const Key &key, const DriverBirth &birth) {
    char line[128];
    std::snprintf(line, sizeof line, "  %s %#llx", kThings[static_cast<int>(key.first)],
                  static_cast<unsigned long long>(key.second));
    std::string text = line;
    if (birth.bytes != 0) text += " of " + count_text(birth.bytes, "byte");
    text += ", made by thread " + std::to_string(birth.maker.thread);
    if (!birth.python.empty()) text += " at " + birth.python;
    return text + "\n" + frame_lines(birth.maker);
}

LeakPart find_driver_births() {
    std::vector<std::pair<Key, DriverBirth>> held;
    {
        MutexLock lock(g_births_mutex);
        held.assign(g_driver_births->begin(), g_driver_births->end());
    }
    LeakPart part{held.size(), {}, {}};
    size_t counts[std::size(kThings)] = {}, bytes = 0;
    for (const auto &[key, birth] : held) {
        ++counts[static_cast<int>(key.first)];
        bytes += birth.bytes;
    }
    part.summary = count_text(counts[0], "stream") + ", " + count_text(counts[1], "event") + ", " +
                   count_text(counts[2] + counts[3], "block") + " of memory with " + count_text(bytes, "byte");
    for (size_t i = 0; i < std::min(held.size(), kMostShown); ++i)
        part.lines += birth_lines(held[i].first, held[i].second);
    if (held.size() > kMostShown) part.lines += "  and " + count_text(held.size() - kMostShown, "more object") + "\n";
    return part;
}

void add_birth(Thing thing, const Call &call) {
    DriverBirth birth{call.bytes, this_maker(), python_line()};
    guard_tool_locks();
    MutexLock lock(g_births_mutex);
    if (!g_driver_births) g_driver_births = new std::map<Key, DriverBirth>;
    (*g_driver_births)[{thing, call.object}] = std::move(birth);
    add_leaks(Leaks::Objects, find_driver_births);
}

void forget(Thing thing, uint64_t address) {
    MutexLock lock(g_births_mutex);
    if (g_driver_births) g_driver_births->erase({thing, address});
}

} // namespace

void saw_birth(const Call &call) noexcept {
    if (call.result != CUDA_SUCCESS || is_captured(call)) return;
    try {
        switch (call.row->kind) {
        case DriverCall::MakeStream: return add_birth(Thing::Stream, call);
        case DriverCall::EndStream: return forget(Thing::Stream, call.object);
        case DriverCall::MakeEvent: return add_birth(Thing::Event, call);
        case DriverCall::EndEvent: return forget(Thing::Event, call.object);
        case DriverCall::Allocate:
        case DriverCall::AllocateNow: return add_birth(Thing::Memory, call);
        case DriverCall::AllocateHost: return add_birth(Thing::HostMemory, call);
        case DriverCall::Free: return forget(Thing::Memory, call.object);
        case DriverCall::FreeNow: forget(Thing::Memory, call.object); return forget(Thing::HostMemory, call.object);
        default: return;
        }
    } catch (const std::bad_alloc &) {
        warn_of_unknown_maker();
    }
}

} // namespace gs::front
