// SPDX-License-Identifier: Apache-2.0
// What the core calls in the tools: the ordering checker, the recorder, traces, leaks. They are a library of their own,
// libgpustream_tools.so.0, which is loaded when a variable of the environment or a function asks for it (core/seam/core_services.cpp). The
// core never needs it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/rare_state.hpp"
#include "base/status.hpp"
#include "handle/slot_map.hpp"

namespace gs {

struct DeviceMemory;
struct SlotBase;
struct StreamSlot;
struct ThreadBlock;

struct ToolHooks {
    void (*read_environment)() noexcept; // if a variable asks for the tools; again: no effect
#define GS_HOOK(part, result, name, parameters, arguments) result(*name) parameters noexcept;
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK
};

// Loads the tools if the environment asks for them, at the first call. nullptr: they are not loaded.
const ToolHooks *asked_tools() noexcept __attribute__((cold, noinline));
// Loads the tools, if they are not. UNAVAILABLE: they are not installed beside the library, or are of another build.
Status need_tools(const ToolHooks **out) noexcept __attribute__((cold));
// nullptr: they are not. For signal handlers too.
const ToolHooks *loaded_tools() noexcept;

} // namespace gs

// Each calls the tools if they are loaded, or the environment asks for them; else it does nothing and returns 0.
namespace gs::tools {

#define GS_HOOK(part, result, name, parameters, arguments)                                                             \
    result name parameters noexcept __attribute__((cold, noinline));
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK

// Whether a call tells the tools what it does: the ordering checker or the log is on, or may be. Then they decide.
inline bool observed() noexcept {
    constexpr uint32_t observers =
        kRareToolsUndecided | kRareChecked | kRareLogged | kRareListened | kRareDefaultStream | kRareNamesKept;
    return (g_rare_state.load(std::memory_order_relaxed) & observers) != 0;
}

} // namespace gs::tools

namespace gs {

// Who made the objects that callers hold and the memory that they have, while GPUSTREAM_LEAKS asks for it (tools/leaks).
inline bool notes_births() noexcept {
    return (g_rare_state.load(std::memory_order_relaxed) & (kRareBirths | kRareToolsUndecided)) != 0;
}
// The object is the library's own: it is not a caller's to give back.
inline void forget_birth(uint64_t handle) noexcept {
    if (notes_births()) tools::forget_birth(handle);
}
// Where an object gets its handle, on the thread that asked for it.
inline void note_birth(const SlotBase &slot, uint64_t handle) noexcept {
    if (notes_births()) tools::note_birth(slot, handle);
}
// A block was given out, on the thread that asked for it. The lock of the memory must not be held.
inline void note_block_birth(DeviceMemory &memory, const void *address) noexcept {
    if (notes_births()) tools::note_block_birth(memory, address);
}

// GPUSTREAM_SYNCS: the tools hear how long calls block (tools/recorder/sync_sites.hpp).

// Around what may block. Unless the environment asks for it, this is one branch.
class SyncWatch {
public:
    [[gnu::always_inline]] explicit SyncWatch(const char *function) noexcept : function_(function) {
        const uint32_t rare = g_rare_state.load(std::memory_order_relaxed) & (kRareSyncs | kRareToolsUndecided);
        if (rare != 0) begin();
    }
    [[gnu::always_inline]] ~SyncWatch() {
        if (began_ != 0) end();
    }
    SyncWatch(const SyncWatch &) = delete;
    SyncWatch &operator=(const SyncWatch &) = delete;

private:
    __attribute__((cold, noinline)) void begin() noexcept {
        const bool loaded = asked_tools() != nullptr;
        // As model first_record_is_seen_whole: end() writes into the table.
        if (loaded && (g_rare_state.load(std::memory_order_acquire) & kRareSyncs) != 0) began_ = monotonic_ns();
    }
    __attribute__((cold, noinline)) void end() noexcept { tools::note_sync(function_, monotonic_ns() - began_); }
    const char *const function_;
    uint64_t began_ = 0;
};

} // namespace gs
