// SPDX-License-Identifier: Apache-2.0
// The calls of the harness graph: captures and graphs, and the streams, events and work that they are made of.
#include <algorithm>
#include <iterator>
#include <string>

#include "fuzz/graph/rows.hpp"

namespace gs::fuzz {
namespace {

constexpr const char *kWith[] = {"gs_default_stream",      "gs_per_thread_stream",
                                 "gs_stream_create",       "gs_stream_retain",
                                 "gs_stream_destroy",      "gs_stream_is_capturing",
                                 "gs_stream_query",        "gs_stream_synchronize",
                                 "gs_stream_wait_event",   "gs_stream_wait_stream",
                                 "gs_stream_record_event", "gs_stream_launch_host",
                                 "gs_stream_sleep",        "gs_event_create",
                                 "gs_event_destroy",       "gs_event_record",
                                 "gs_event_wait",          "gs_event_query",
                                 "gs_event_synchronize",   "gs_device_synchronize",
                                 "gs_stream_defer",        "gs_stream_notify",
                                 "gs_set_device",          "gs_set_current_stream",
                                 "gs_current_stream",      "gs_malloc_async",
                                 "gs_free_async",          "gs_memcpy_async",
                                 "gs_memset_async",        "gs_module_load",
                                 "gs_module_destroy",      "gs_module_get_kernel",
                                 "gs_kernel_launch",       "gs_trim"};

bool is_part(const std::string &name) {
    const bool listed = std::find(std::begin(kWith), std::end(kWith), name) != std::end(kWith);
    return listed || name.rfind("gs_graph_", 0) == 0 || name.find("_capture") != std::string::npos;
}

bool is_in(const std::vector<Call> &table, const char *name) {
    return std::any_of(table.begin(), table.end(), [&](const Call &call) { return name == std::string(call.name); });
}

} // namespace

std::vector<Call> harness_calls() {
    std::vector<Call> table = call_table();
    std::erase_if(table, [](const Call &call) { return !is_part(call.name); });
    // What comes out of these is not always the caller's: the rows say it.
    for (Call &call : table)
        for (const char *name : {"gs_stream_end_capture", "gs_graph_node_bodies"})
            if (std::string(call.name) == name) call.ownership = Ownership::None;
    for (auto rows : {current_calls(), native_calls(), work_calls(), capture_rows(), captured_work_rows(), graph_rows(),
                      node_rows(), exec_rows(), trace_calls()}) {
        std::erase_if(rows, [&](const SpecialCall &row) { return !is_in(table, row.name); });
        replace_rows(table, rows);
    }
    return table;
}

} // namespace gs::fuzz
