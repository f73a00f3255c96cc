// SPDX-License-Identifier: Apache-2.0
#include "core/seam/core_services.hpp"

#include "base/thread_block.hpp"
#include "core/event/event_hot.hpp"
#include "core/event/event_life.hpp"
#include "core/fork_locks.hpp"
#include "core/lookup.hpp"
#include "core/open_ranges.hpp"
#include "core/timeline/timeline_calls.hpp"

namespace gs {

Status record_out_of_line(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    return record_event(thread, event, stream);
}

Status lock_graph(LockedGraph &graph, uint64_t handle) noexcept { return graph.find(handle); }

Status number_of_node(NodeTable &nodes, uintptr_t native, gs_node_t *out) noexcept {
    return nodes.number_of(native, out);
}

Status fail_with_text(gs_status_t code, const char *text) noexcept { return fail(code, "%s", text); }

Status fail_system_with_text(const char *function, int error_number, const char *text) noexcept {
    return fail_system(function, error_number, "%s", text);
}

void end_later_messages(LaterMessages &later) noexcept { later.end(); }
void log_text_message(int32_t level, const char *text) noexcept { log_message(level, "%s", text); }

void call_application(void (*body)(void *context), void *context) noexcept {
    InsideCallback inside;
    body(context);
}

const CoreServices g_core_services = {
#define GS_SERVICE(result, name, parameters, arguments) .name = name,
#define GS_SERVICE_DATA(type, name) .name##_in_core = &name,
#include "core/seam/core_services.inc"
#undef GS_SERVICE
#undef GS_SERVICE_DATA
};

} // namespace gs
