// SPDX-License-Identifier: Apache-2.0
#include "tools/leaks/live_blocks.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/sort.hpp"
#include "base/text.hpp"
#include "core/device/device_table.hpp"
#include "core/memory/device_memory.hpp"
#include "core/names.hpp"
#include "tools/leaks/births.hpp"
#include "tools/leaks/leaks.hpp"

namespace gs {
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
