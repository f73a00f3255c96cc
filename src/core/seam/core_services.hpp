// SPDX-License-Identifier: Apache-2.0
// What the core gives the tools, which are another library: functions and variables of its own, which no symbol of a shared
// library names. They are compiled with the core's headers, so both sides have these declarations from there.
#pragma once

#include <type_traits>
#include <vector>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/event/event_calls.hpp"
#include "core/graph/capture_calls.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/memory/device_memory.hpp"
#include "core/names.hpp"
#include "core/timeline/timeline_slot.hpp"

namespace gs {

// For the tools alone: what is inline, a member, or has a format elsewhere.
Status record_out_of_line(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept;
Status lock_graph(LockedGraph &graph, uint64_t handle) noexcept;
Status number_of_node(NodeTable &nodes, uintptr_t native, gs_node_t *out) noexcept;
Status fail_with_text(gs_status_t code, const char *text) noexcept;
Status fail_system_with_text(const char *function, int error_number, const char *text) noexcept;
void log_text_message(int32_t level, const char *text) noexcept;
void end_later_messages(LaterMessages &later) noexcept;
// Inside it the calling thread may not call devices (InsideCallback).
void call_application(void (*body)(void *context), void *context) noexcept;
template <typename Body>
void call_application(Body &&body) noexcept {
    call_application([](void *context) { (*static_cast<std::remove_reference_t<Body> *>(context))(); }, &body);
}

struct CoreServices {
#define GS_SERVICE(result, name, parameters, arguments) result(*name) parameters noexcept;
#define GS_SERVICE_DATA(type, name) type *name##_in_core;
#include "core/seam/core_services.inc"
#undef GS_SERVICE
#undef GS_SERVICE_DATA
};

struct ToolHooks;
// What the tools export as gs_tools_attach: nullptr if the build id is another, or they serve another copy of the library.
using AttachTools = const ToolHooks *(const char *build_id, const CoreServices *core);
AttachTools attach_tools; // the same, where both are in one program: in tests
// What they export as gs_tools_build_id.
using ToolsBuildId = const char *();
inline constexpr char kToolsBuildIdSymbol[] = "gs_tools_build_id", kAttachToolsSymbol[] = "gs_tools_attach";

extern const CoreServices g_core_services __attribute__((visibility("hidden")));

// What the library and the tools must have in common: the headers that both were compiled with, and how. Made by the build
// (cmake/build_id.cmake).
extern const char kBuildId[] __attribute__((visibility("hidden")));

} // namespace gs
