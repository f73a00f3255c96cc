// SPDX-License-Identifier: Apache-2.0
#include "core/names.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/instances.hpp"
#include "base/lock.hpp"
#include "core/fork_locks.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

constexpr uint32_t kNameWords = kNameBytes / sizeof(uint64_t);
constexpr uint32_t kNameChunkBits = 8;
constexpr uint32_t kNamesInChunk = 1u << kNameChunkBits;
constexpr uint32_t kNameChunks = (kMaxIndex + 1) >> kNameChunkBits;

// The text is kept as words, so that a reader beside a writer reads whole ones; it takes them only if the handle and the
// number of changes were the same before and after.
struct NameEntry {
    std::atomic<uint64_t> handle{0}; // 0: none
    std::atomic<uint64_t> changes{0};
    std::atomic<uint64_t> words[kNameWords] = {};
};

// One table for each kind of object that can have a name, by the index of its slot. Chunks are never freed.
struct NameTable {
    std::atomic<NameEntry *> chunks[kNameChunks];
};
NameTable g_stream_names;
NameTable g_event_names;
NameTable g_graph_names;
NameTable g_exec_names;

NameTable *table_of(uint64_t handle) noexcept {
    switch (handle_kind(handle)) {
    case Kind::Stream: return &g_stream_names;
    case Kind::Event: return &g_event_names;
    case Kind::Graph: return &g_graph_names;
    case Kind::GraphExec: return &g_exec_names;
    default: return nullptr;
    }
}

NameEntry *find_entry(uint64_t handle) noexcept {
    NameTable *table = table_of(handle);
    const uint32_t index = handle_index(handle);
    NameEntry *chunk = table ? table->chunks[index >> kNameChunkBits].load(std::memory_order_acquire) : nullptr;
    return chunk ? &chunk[index & (kNamesInChunk - 1)] : nullptr;
}

NameEntry *make_entry(uint64_t handle) noexcept GS_REQUIRES(g_names_mutex) {
    if (NameEntry *entry = find_entry(handle)) return entry;
    NameEntry *chunk = new (std::nothrow) NameEntry[kNamesInChunk];
    if (!chunk) return nullptr;
    table_of(handle)->chunks[handle_index(handle) >> kNameChunkBits].store(chunk, std::memory_order_release);
    return find_entry(handle);
}

} // namespace

Status set_name(uint64_t handle, const char *name) noexcept {
    guard_locks_in_fork();
    MutexLock lock(g_names_mutex);
    NameEntry *entry = find_entry(handle);
    if (!name || *name == '\0') {
        if (entry) entry->handle.store(0, std::memory_order_release);
        return kOk;
    }
    if (!entry) entry = make_entry(handle);
    if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a name");
    char text[kNameBytes];
    make_printable_name(name, text);
    uint64_t words[kNameWords];
    std::memcpy(words, text, sizeof words);
    entry->handle.store(0, std::memory_order_relaxed);
    entry->changes.fetch_add(1, std::memory_order_acq_rel);
    for (uint32_t i = 0; i < kNameWords; ++i) entry->words[i].store(words[i], std::memory_order_release);
    entry->handle.store(handle, std::memory_order_release);
    return kOk;
}

NameText name_of_object(uint64_t handle) noexcept {
    NameText name{};
    const NameEntry *entry = find_entry(handle);
    if (!entry || handle == 0) return name;
    const uint64_t changes = entry->changes.load(std::memory_order_acquire);
    if (entry->handle.load(std::memory_order_acquire) != handle) return name;
    uint64_t words[kNameWords];
    for (uint32_t i = 0; i < kNameWords; ++i) words[i] = entry->words[i].load(std::memory_order_acquire);
    // Being renamed: neither name would be wrong, but half of each would be.
    if (entry->changes.load(std::memory_order_acquire) == changes) std::memcpy(name.text, words, sizeof words);
    return name;
}

namespace {

struct KindText {
    const char *name; // with its article: "an event"
    const char *made_by;
    const char *ended; // how an object of the kind ends
    const char *wrap;  // makes one of a driver's object; nullptr: nothing does
};

const KindText *text_of(Kind kind) noexcept {
    static constexpr KindText kStream{"a stream", "gs_stream_create", "was destroyed", "gs_stream_from_native"};
    static constexpr KindText kEvent{"an event", "gs_event_create", "was destroyed", "gs_event_from_native"};
    static constexpr KindText kGraph{"a graph", "gs_graph_create",
                                     "was destroyed, or has ended with its capture or with the graph around it",
                                     "gs_graph_from_native"};
    static constexpr KindText kExec{"an executable graph", "gs_graph_instantiate", "was destroyed", nullptr};
    static constexpr KindText kQueue{"a queue", "gs_queue_create", "was destroyed", nullptr};
    static constexpr KindText kModule{"a module", "gs_module_load", "was destroyed", nullptr};
    static constexpr KindText kKernel{"a kernel", "gs_module_get_kernel", "has ended with its module", nullptr};
    static constexpr KindText kTimeline{"a timeline", "gs_timeline_create", "was destroyed", nullptr};
    static constexpr KindText kPool{"a pool", "gs_pool_create", "was destroyed", nullptr};
    static constexpr KindText kPartition{"a partition", "gs_partition_create", "was destroyed", nullptr};
    switch (kind) {
    case Kind::Stream: return &kStream;
    case Kind::Event: return &kEvent;
    case Kind::Graph: return &kGraph;
    case Kind::GraphExec: return &kExec;
    case Kind::Queue: return &kQueue;
    case Kind::Module: return &kModule;
    case Kind::Kernel: return &kKernel;
    case Kind::Timeline: return &kTimeline;
    case Kind::Pool: return &kPool;
    case Kind::Partition: return &kPartition;
    case Kind::HostCall:
    case Kind::Reserved: break;
    }
    return nullptr;
}

const char *without_article(const char *name) noexcept {
    while (*name++ != ' ') {}
    return name;
}

// Has there been such an object? Numbers that are no handles seldom look like one.
bool was_given_out(uint64_t handle) noexcept {
    const uint32_t index = handle_index(handle);
    return handle >> 63 == 0 && handle_generation(handle) != 0 && index != 0 &&
           index <= g_highest_index[static_cast<size_t>(handle_kind(handle))].load(std::memory_order_relaxed);
}

Status refuse(Kind wanted, uint64_t handle, const char *format, ...) noexcept GS_PRINTF(3, 4);
Status refuse(Kind wanted, uint64_t handle, const char *format, ...) noexcept {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_about(wanted == Kind::Stream ? to_handle<gs_stream_t>(handle) : nullptr,
                      wanted == Kind::Event ? to_handle<gs_event_t>(handle) : nullptr, GS_ERROR_INVALID_HANDLE, "%s%s",
                      text, handle != 0 ? advice_about_instances() : "");
}

} // namespace

Status no_such_object(Kind wanted, uint64_t handle) noexcept {
    const KindText &want = *text_of(wanted);
    const char *name = without_article(want.name);
    if (handle == 0)
        return refuse(wanted, handle, "the %s is NULL: was it closed, or did %s fail?", name, want.made_by);
    if (handle == kCurrentStreamBits)
        return refuse(wanted, handle, "GS_STREAM_CURRENT is not %s%s", want.name,
                      wanted == Kind::Stream ? " for this call: gs_current_stream finds the one that it names" : "");
    const ObjectText given = describe_object(handle);
    const KindText *is = was_given_out(handle) ? text_of(handle_kind(handle)) : nullptr;
    if (is == &want) {
        if (count_instances() > 1) return refuse(wanted, handle, "%s %s is not a live one", name, given.text);
        return refuse(wanted, handle, "%s %s %s", name, given.text, want.ended);
    }
    if (is) return refuse(wanted, handle, "%s is %s, not %s", given.text, is->name, want.name);
    // Drivers' handles are pointers and small numbers.
    if (want.wrap && handle >> kKindShift == 0)
        return refuse(wanted, handle, "%s is not a gpustream handle: wrap a driver's %s with %s", given.text, name,
                      want.wrap);
    return refuse(wanted, handle, "%s is not a gpustream handle, %s is needed", given.text, want.name);
}

Status no_slot(Kind wanted) noexcept {
    const char *name = without_article(text_of(wanted)->name);
    if (g_highest_index[static_cast<size_t>(wanted)].load(std::memory_order_relaxed) == kMaxIndex)
        return fail(GS_ERROR_OUT_OF_MEMORY, "all %u handles of the kind '%s' are in use: destroy some", kMaxIndex,
                    name);
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another %s", name);
}

} // namespace gs
