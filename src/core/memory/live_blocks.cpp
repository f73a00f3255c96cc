// SPDX-License-Identifier: Apache-2.0
#include "core/memory/live_blocks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"

namespace gs {

std::atomic<bool> g_leaks_decided{false};

namespace {

constexpr size_t kMostBlocksShown = 100;

LiveBlock live_block(const Block &block) {
    const PoolSlot &pool = *block.pool;
    return {.address = block.address,
            .bytes = block.requested,
            .device = pool.device,
            .stream = block.stream,
            .pool = pool.is_default ? 0 : pool.handle.load(std::memory_order_relaxed),
            .ended_pool = !pool.is_default && pool.handle.load(std::memory_order_relaxed) == 0};
}

std::string block_line(const LiveBlock &block) {
    const std::string pool = block.ended_pool  ? "of a pool that has ended"
                             : block.pool == 0 ? "of the default pool"
                                               : std::string("of pool ") + describe_object(block.pool).text;
    char place[96];
    std::snprintf(place, sizeof place, "  %zu bytes at %p on %s device %d, ", block.bytes, block.address,
                  block.device->backend->name(), block.device->ordinal);
    return place + pool + ", allocated in stream " + describe_object(block.stream).text + "\n";
}

void write_report(const std::string &text) noexcept {
    for (size_t at = 0; at < text.size();) {
        const ssize_t done = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
        if (done <= 0) return; // at exit no caller is left that could get a status
        at += static_cast<size_t>(done);
    }
}

void report_live_blocks() {
    if (in_bad_fork()) return;
    try {
        write_report(describe_live_blocks());
    } catch (const std::bad_alloc &) {
        write_report("gpustream: no memory to report the memory that is allocated at exit\n");
    }
}

} // namespace

std::vector<LiveBlock> live_blocks() {
    std::vector<LiveBlock> found;
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        if (!device_at(index)) continue;
        DeviceMemory &memory = memory_at(index);
        MutexLock lock(memory.mutex);
        memory.table.for_each([&](const Block &block) {
            if (block.state == BlockState::Live) found.push_back(live_block(block));
        });
    }
    std::sort(found.begin(), found.end(), [](const LiveBlock &one, const LiveBlock &other) {
        return one.bytes != other.bytes ? one.bytes > other.bytes : one.address < other.address;
    });
    return found;
}

std::string describe_live_blocks() {
    const std::vector<LiveBlock> blocks = live_blocks();
    if (blocks.empty()) return {};
    size_t total = 0;
    for (const LiveBlock &block : blocks) total += block.bytes;
    std::string text = "gpustream: memory of pools that is allocated at exit: " + std::to_string(blocks.size()) +
                       (blocks.size() == 1 ? " block, " : " blocks, ") + std::to_string(total) + " bytes\n";
    const size_t shown = std::min(blocks.size(), kMostBlocksShown);
    for (size_t i = 0; i < shown; ++i) text += block_line(blocks[i]);
    if (blocks.size() > shown) text += "  and " + std::to_string(blocks.size() - shown) + " more\n";
    return text;
}

void watch_leaks_slowly() noexcept {
    if (g_leaks_decided.exchange(true, std::memory_order_relaxed)) return;
    if (env_number(Variable::Leaks, 0, 0, 1) == 0) return;
    if (std::atexit(report_live_blocks) != 0)
        log_message(GS_LOG_WARNING, "%s is ignored: no memory for a function at exit", name_of(Variable::Leaks));
}

} // namespace gs
