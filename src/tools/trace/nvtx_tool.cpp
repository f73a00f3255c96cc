// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/nvtx_tool.hpp"

#include <atomic>
#include <cstddef>
#include <iterator>
#include <new>
#include <set>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "base/rare_state.hpp"
#include "base/status.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "handle/grace.hpp"
#include "tools/tool_locks.hpp"

namespace gs::trace {
namespace {

using Pointer = void (*)();

// The numbers are the protocol's. Each table has a place for every function that it had when a version of NVTX 3 was
// frozen; a tool may fill in any of them; the library calls those that have a name here.
enum Module { kCore = 1, kDriver = 2, kOpenCl = 3, kRuntime = 4, kCore2 = 5, kSync = 6 };
enum InCore { kMarkA = 2, kRangeStartA = 5, kRangeEnd = 7, kRangePushA = 9, kRangePop = 11, kCorePlaces = 16 };
enum InDriver { kNameStreamA = 5, kNameEventA = 7, kDriverPlaces = 9 };
constexpr size_t kMostPlaces = 16;

constexpr unsigned kPlaces[] = {0, kCorePlaces, kDriverPlaces, 15, 7, 16, 7}; // by Module

struct ToolTable {
    Pointer functions[kMostPlaces];
    Pointer *pointers[kMostPlaces + 1]; // what the tool gets: where to write each function; the first is null
};
ToolTable g_tool_tables[std::size(kPlaces)];

// The tool's C functions, by the protocol.
int get_tool_table(int module, Pointer ***out_table, unsigned *out_places) {
    if (module <= 0 || static_cast<size_t>(module) >= std::size(g_tool_tables)) return 0;
    ToolTable &table = g_tool_tables[module];
    for (unsigned i = 1; i < kPlaces[module]; ++i) table.pointers[i] = &table.functions[i];
    if (out_table) *out_table = table.pointers;
    if (out_places) *out_places = kPlaces[module];
    return 1;
}
void take_tool_version(uint32_t) {}

struct Callbacks {
    size_t bytes;
    int (*get_table)(int, Pointer ***, unsigned *);
};
struct Version {
    size_t bytes;
    uint32_t version, reserved;
    void (*set_tool_version)(uint32_t);
};
constexpr Callbacks kCallbacks{sizeof(Callbacks), get_tool_table};
constexpr Version kVersion{sizeof(Version), 3, 0, take_tool_version};

const void *get_export_table(uint32_t number) {
    switch (number) {
    case 1: return &kCallbacks;
    case 3: return &kVersion;
    default: return nullptr;
    }
}

enum class Tool : uint32_t { Unasked, Starting, None, Listens };
std::atomic<Tool> g_tool{Tool::Unasked};

// What other threads have to say while it starts is lost, and so is what the tool itself says.
bool start_tool() noexcept {
    const char *path = env_text(Variable::NvtxInjection);
    if (!path || *path == '\0') return false;
    void *library = nullptr;
    using Initialize = int (*)(const void *(*)(uint32_t));
    if (!open_library(path, &library).ok()) {
        log_message(GS_LOG_WARNING, "%s: %s", name_of(Variable::NvtxInjection), pending_text());
        return false;
    }
    const auto initialize = reinterpret_cast<Initialize>(find_symbol(library, "InitializeInjectionNvtx2"));
    if (!initialize) {
        log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is no tool of NVTX", name_of(Variable::NvtxInjection),
                    path);
        return false;
    }
    if (initialize(get_export_table) != 0) return true;
    log_message(GS_LOG_WARNING, "%s='%s': the tool does not start", name_of(Variable::NvtxInjection), path);
    return false;
}

bool ask_tool() noexcept __attribute__((cold, noinline));
bool ask_tool() noexcept {
    Tool expected = Tool::Unasked;
    if (!g_tool.compare_exchange_strong(expected, Tool::Starting, std::memory_order_relaxed)) return false;
    const bool listens = start_tool();
    // Publishes what the tool has written into the tables, as the record does in model first_record_is_seen_whole.
    g_tool.store(listens ? Tool::Listens : Tool::None, std::memory_order_release);
    return listens;
}

// nullptr: there is no tool that listens to this.
template <typename Signature>
Signature *tool_function(Module module, int place) noexcept {
    const Tool tool = g_tool.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    if (tool == Tool::None) return nullptr;
    if (tool != Tool::Listens && !ask_tool()) return nullptr;
    return reinterpret_cast<Signature *>(g_tool_tables[module].functions[place]);
}

} // namespace

void tell_mark(const char *text) noexcept {
    if (auto *mark = tool_function<void(const char *)>(kCore, kMarkA)) mark(text);
}

void tell_push(const char *name) noexcept {
    if (auto *push = tool_function<int(const char *)>(kCore, kRangePushA)) push(name);
}

void tell_pop() noexcept {
    if (auto *pop = tool_function<int()>(kCore, kRangePop)) pop();
}

bool tool_hears_ranges() noexcept {
    return tool_function<int(const char *)>(kCore, kRangePushA) && tool_function<int()>(kCore, kRangePop);
}

uint64_t tell_start(const char *name) noexcept {
    auto *start = tool_function<uint64_t(const char *)>(kCore, kRangeStartA);
    return start ? start(name) : 0;
}

void tell_end(uint64_t number) noexcept {
    if (auto *end = tool_function<void(uint64_t)>(kCore, kRangeEnd)) end(number);
}

void tell_stream_name(uintptr_t native, const char *name) noexcept {
    if (auto *tell = tool_function<void(uintptr_t, const char *)>(kDriver, kNameStreamA)) tell(native, name);
}

bool tool_hears_event_names() noexcept {
    return tool_function<void(uintptr_t, const char *)>(kDriver, kNameEventA) != nullptr;
}

void tell_event_name(uintptr_t native, const char *name) noexcept {
    if (auto *tell = tool_function<void(uintptr_t, const char *)>(kDriver, kNameEventA)) tell(native, name);
}

// Names of executable graphs for a tool of NVTX. The protocol can name streams and events of the driver, but no graphs. So each launch
// of one that has a name is inside a range of the thread with that name, in which the tool has the driver's call. Called with no lock
// held: the tool is foreign code.

void tell_launches_of(uint64_t exec) noexcept {
    if (name_of_object(exec).text[0] != '\0' && tool_hears_ranges())
        g_rare_state.fetch_or(kRareLaunchesTold, std::memory_order_relaxed);
}

// In the child of a bad fork the launch is refused.
bool begin_launch_range(uint64_t exec) noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed);
    if ((rare & (kRareLaunchesTold | kRareBadFork)) != kRareLaunchesTold) return false;
    const NameText name = name_of_object(exec);
    if (name.text[0] == '\0') return false;
    tell_push(name.text);
    return true;
}

void end_launch_range() noexcept { tell_pop(); }

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
