// SPDX-License-Identifier: Apache-2.0
// The calls of the harness api: every function but those of captures and graphs, and driver faults.
#include <algorithm>
#include <iterator>
#include <string>

#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/special_calls.hpp"

namespace gs::fuzz {
namespace {

// They are the harness graph's: the order of work is not known of captures, and a captured stream refuses nearly
// everything. assemble.py has the same list.
bool is_modelled(const Call &call) {
    const std::string name = call.name;
    constexpr const char *kWithout[] = {"gs_graph_",
                                        "gs_stream_begin_capture",
                                        "gs_stream_end_capture",
                                        "gs_stream_abort_capture",
                                        "gs_timeline_",
                                        "gs_stream_signal_timeline",
                                        "gs_stream_wait_timeline",
                                        "gs_stream_write_value",
                                        "gs_stream_wait_value",
                                        "gs_stream_batch_values",
                                        "gs_pool_",
                                        "gs_allocator_",
                                        "gs_partition_", // an array of handles out
                                        "gs_stream_create_in",
                                        "gs_current_adopt", // scopes
                                        "gs_current_snapshot",
                                        "gs_device_from_pci",  // fuzz.devices has the parsers of texts
                                        "gs_device_peers",     // an array out
                                        "gs_device_set_limit", // outlives a program
                                        "gs_device_reset",     // the same
                                        "gs_device_get_limit",
                                        "gs_set_current_pool",
                                        "gs_current_pool",
                                        "gs_free_after",
                                        "gs_memory_set_name", // needs memory of a pool, as gs_free_after
                                        "gs_token_",
                                        "gs_stream_capture_",
                                        "gs_stream_set_capture_nodes"};
    return std::none_of(std::begin(kWithout), std::end(kWithout),
                        [&](const char *start) { return name.rfind(start, 0) == 0; });
}

} // namespace

std::vector<Call> harness_calls() {
    std::vector<Call> table = call_table();
    std::erase_if(table, [](const Call &call) { return !is_modelled(call); });
    for (const auto &rows : {order_calls(), current_calls(), memory_calls(), work_calls(), native_calls(),
                             bridge_calls(), completion_calls(), trace_calls()})
        replace_rows(table, rows);
    table.push_back(fault_call());
    return table;
}

} // namespace gs::fuzz
