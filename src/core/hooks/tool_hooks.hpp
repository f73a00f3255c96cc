// SPDX-License-Identifier: Apache-2.0
// What the core calls in the tools: the ordering checker, the recorder, traces, leaks. They are a library of their own,
// libgpustream_tools.so.0, which is loaded when a variable of the environment or a function asks for it (tool_loader.cpp). The
// core never needs it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/rare_state.hpp"
#include "base/status.hpp"

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
