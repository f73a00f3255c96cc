// SPDX-License-Identifier: Apache-2.0
#include "tools/leaks/births.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/sort.hpp"
#include "base/text.hpp"
#include "core/device/device_table.hpp"
#include "core/memory/device_memory.hpp"
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
           callers_of(birth.slot->users.load(std::memory_order_relaxed)) != 0;
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

namespace {

struct LiveBlock {
    const void *address = nullptr;
    size_t bytes = 0; // as the caller asked for it
    const Device *device = nullptr;
    uint64_t stream = 0; // in which it was allocated; may have ended
    uint64_t pool = 0;   // 0: the device's default pool, or one that has ended
    bool ended_pool = false;
    NameText name;
    Maker maker;
};

LiveBlock live_block(const Block &block) {
    const PoolSlot &pool = *block.pool;
    return {.address = block.address,
            .bytes = block.requested,
            .device = pool.device,
            .stream = block.stream,
            .pool = pool.is_default ? 0 : pool.handle.load(std::memory_order_relaxed),
            .ended_pool = !pool.is_default && pool.handle.load(std::memory_order_relaxed) == 0,
            .name = block.named ? *block.name : NameText{},
            .maker = block.maker ? *block.maker : Maker{}};
}

// The largest first.
std::vector<LiveBlock> live_blocks() {
    std::vector<LiveBlock> found;
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        if (!device_at(index)) continue;
        DeviceMemory &memory = memory_at(index);
        BriefGuard lock(memory.mutex);
        memory.table.for_each([&](const Block &block) {
            if (block.state == BlockState::Live) found.push_back(live_block(block));
        });
    }
    sort_elements(found.data(), found.size(), [](const LiveBlock &one, const LiveBlock &other) {
        return one.bytes != other.bytes ? one.bytes > other.bytes : one.address < other.address;
    });
    return found;
}

std::string block_lines(const LiveBlock &block) {
    const std::string pool = block.ended_pool  ? "of a pool that has ended"
                             : block.pool == 0 ? "of the default pool"
                                               : std::string("of pool ") + describe_object(block.pool).text;
    const char *const quote = block.name.text[0] != '\0' ? "\"" : "";
    char place[96 + kNameBytes];
    std::snprintf(place, sizeof place, "  %zu bytes at %p%s%s%s%s on %s device %d, ", block.bytes, block.address,
                  *quote ? " (" : "", quote, block.name.text, *quote ? "\")" : "", block.device->backend->name(),
                  block.device->ordinal);
    const std::string by = block.maker.thread ? " by thread " + decimal(block.maker.thread) : "";
    const uint64_t maker = maker_thread(block.stream);
    return place + pool + ", allocated" + by + " in stream " + describe_object(block.stream).text +
           (maker ? ", which thread " + decimal(maker) + " made" : "") + "\n" + frame_lines(block.maker);
}

LeakPart find_live_blocks() {
    const std::vector<LiveBlock> blocks = live_blocks();
    size_t bytes = 0;
    for (const LiveBlock &block : blocks) bytes += block.bytes;
    LeakPart part{
        blocks.size(), count_text(blocks.size(), "block") + " of pools with " + count_text(bytes, "byte"), {}};
    for (size_t i = 0; i < std::min(blocks.size(), kMostLeaksShown); ++i) part.lines += block_lines(blocks[i]);
    if (blocks.size() > kMostLeaksShown)
        part.lines += "  and " + count_text(blocks.size() - kMostLeaksShown, "more block") + "\n";
    return part;
}

} // namespace

namespace leaks {

// What is replaced or not wanted goes back to the heap behind the lock: that of the record's last block, too.
void note_block_birth(DeviceMemory &memory, const void *address) noexcept {
    if (!reports_leaks()) return;
    add_leaks(Leaks::Blocks, find_live_blocks);
    Maker *maker = nullptr;
    try {
        maker = new Maker(this_maker());
    } catch (const std::bad_alloc &) {
        warn_of_unknown_maker();
    }
    {
        BriefGuard lock(memory.mutex);
        if (Block *block = memory.table.find(address)) std::swap(block->maker, maker); // none: the memory is a graph's
    }
    delete maker;
}

} // namespace leaks

} // namespace gs
