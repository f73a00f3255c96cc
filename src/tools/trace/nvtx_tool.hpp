// SPDX-License-Identifier: Apache-2.0
// A tool that listens to NVTX, such as Nsight Systems: the library that NVTX_INJECTION64_PATH names.
//
// NVTX is a protocol between a program and that library: the program calls its InitializeInjectionNvtx2 and hands it
// tables of pointers to functions, which the library fills in. Programs mostly have it from NVIDIA's headers; this is the
// part that we need, so that the library depends on nothing.
#pragma once

#include <cstdint>

#include "base/rare_state.hpp"
#include "gpustream.h"

namespace gs::trace {

// Each acts only if a tool listens to it. Called with no lock held: this is foreign code.
void tell_mark(const char *text) noexcept;
void tell_push(const char *name) noexcept;
void tell_pop() noexcept;
bool tool_hears_ranges() noexcept;              // of threads
uint64_t tell_start(const char *name) noexcept; // the tool's number of the range
void tell_end(uint64_t number) noexcept;
void tell_stream_name(uintptr_t native, const char *name) noexcept; // those of the CUDA driver
bool tool_hears_event_names() noexcept;
void tell_event_name(uintptr_t native, const char *name) noexcept;

// Names of events that a tool of NVTX gets later: the tool knows events by the driver's handles, and an event has one from its first
// record on.

// The event has a name and no handle of the driver's yet. The name is kept only if a tool listens to names. Asks for
// the tool: called with no lock held.
void keep_name_for_tool(uint64_t event) noexcept;

void tell_kept_name(uint64_t event) noexcept __attribute__((cold, noinline));
void drop_kept_name(uint64_t event) noexcept __attribute__((cold, noinline));

inline bool keeps_names() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareNamesKept) != 0; }
// The event may have a handle of the driver's from now on. Called with no lock held, as the tool is.
inline void tell_name_if_kept(uint64_t event) noexcept {
    if (keeps_names()) tell_kept_name(event);
}
// The event has a reference fewer: it may live on.
inline void drop_name_if_ended(uint64_t event) noexcept {
    if (keeps_names()) drop_kept_name(event);
}

} // namespace gs::trace
