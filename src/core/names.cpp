// SPDX-License-Identifier: Apache-2.0
#include "core/names.hpp"

#include <atomic>
#include <cstring>
#include <new>

#include "base/lock.hpp"
#include "core/fork_locks.hpp"
#include "handle/handle_bits.hpp"

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

} // namespace gs
