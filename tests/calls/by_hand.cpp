// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "calls/calls.hpp"

namespace gs::test {
namespace {

constexpr const char kThreadState[] = "changes what the thread has current, which must be restored";
constexpr const char kForeign[] = "needs an object of another library";
constexpr const char kFunction[] = "the function that it takes must run or be taken back before its argument ends";
constexpr const char kRelease[] = "the release can fail, and then the memory is still the caller's";
constexpr const char kOutlives[] = "memory and arguments must outlive the work";
constexpr const char kImage[] = "needs an image of kernels for the backend";
constexpr const char kNvml[] = "fails with NVML: tests/inventory";
constexpr const char kRegistration[] = "a registration must end";
constexpr const char kCapture[] = "a capture or a graph must be in progress: tests/conformance has the cases";
constexpr const char kLimit[] = "its limit passes while work is pending: a scenario decides which it is";
constexpr const char kEntry[] = "an entry follows, which must be taken";
constexpr const char kGraph[] = "needs a graph with nodes, and leaves them there: tests/fault has a scenario";
constexpr const char kGrows[] = "a second signal of the same value is refused";
constexpr const char kPool[] = "changes what the pool has: tests/fault has a scenario";
constexpr const char kPartition[] = "its end calls the driver: tests/fault has a scenario";
constexpr const char kName[] = "the object keeps the name";
constexpr const char kRange[] = "the thread's ranges must be as before: the scenario ends those that it begins";
constexpr const char kLease[] = "a wait for the token ends its lease: tests/fault has a scenario";
constexpr const char kProcess[] = "changes the whole process";

} // namespace

const std::vector<ByHand> &calls_by_hand() {
    static const std::vector<ByHand> all = {
        {"gs_set_log_callback", kProcess},
        {"gs_set_option", kProcess},
        {"gs_reset_stats", kProcess},
        {"gs_trim", kProcess},
        {"gs_call_on_init", kFunction},
        {"gs_set_current_device", kThreadState},
        {"gs_exchange_device", kThreadState},
        {"gs_set_current_stream", kThreadState},
        {"gs_exchange_current_stream", kThreadState},
        {"gs_push_current_stream", kThreadState},
        {"gs_pop_current_stream", kThreadState},
        {"gs_unwind_current_stream", kThreadState},
        {"gs_current_adopt", kThreadState},
        {"gs_device_set_limit", "changes the device for all"},
        {"gs_device_reset", "ends the device for the process"},
        {"gs_device_from_pci", "needs an address that a device has"},
        {"gs_stream_from_native", kForeign},
        {"gs_stream_from_native_owned", kForeign},
        {"gs_stream_into_native", kForeign},
        {"gs_bridge_register", kRegistration},
        {"gs_bridge_unregister", kRegistration},
        {"gs_bridge_find", kRegistration},
        {"gs_event_from_native", kForeign},
        {"gs_event_from_native_owned", kForeign},
        {"gs_event_into_native", kForeign},
        {"gs_device_calibrate", "the library keeps the comparison: a scenario asks for times by it"},
        {"gs_event_time_ns", "needs a comparison of clocks"},
        {"gs_event_ipc_open", "needs an exporter in another process"},
        {"gs_stream_launch_host", kFunction},
        {"gs_stream_begin_capture", kCapture},
        {"gs_stream_begin_capture_to", kCapture},
        {"gs_stream_end_capture", kCapture},
        {"gs_stream_abort_capture", kCapture},
        {"gs_stream_capture_nodes", kCapture},
        {"gs_stream_set_capture_nodes", kCapture},
        {"gs_graph_from_native", kForeign},
        {"gs_graph_keep", kFunction},
        {"gs_graph_create", kCapture},
        {"gs_graph_retain", kCapture},
        {"gs_graph_native", kCapture},
        {"gs_graph_instantiate", kCapture},
        {"gs_graph_exec_launch", kCapture},
        {"gs_graph_exec_upload", kCapture},
        {"gs_graph_exec_retain", kCapture},
        {"gs_graph_exec_native", kCapture},
        {"gs_graph_add_node", kGraph},
        {"gs_graph_node_bodies", kGraph},
        {"gs_graph_clone", kGraph},
        {"gs_graph_info", kGraph},
        {"gs_graph_nodes", kGraph},
        {"gs_graph_edges", kGraph},
        {"gs_graph_node_info", kGraph},
        {"gs_graph_node_native", kGraph},
        {"gs_graph_write_dot", kGraph},
        {"gs_graph_check_read", kGraph},
        {"gs_graph_check_write", kGraph},
        {"gs_graph_exec_update", kGraph},
        {"gs_graph_exec_set_node", kGraph},
        {"gs_graph_exec_enable_node", kGraph},
        {"gs_stream_notify", kFunction},
        {"gs_stream_defer", kFunction},
        {"gs_queue_fd", "needs no driver; a queue's scenario has it"},
        {"gs_queue_add_stream", kEntry},
        {"gs_queue_add_event", kEntry},
        {"gs_queue_wait", "needs an entry, or the queue to be woken"},
        {"gs_stream_synchronize_for", kLimit},
        {"gs_event_synchronize_for", kLimit},
        {"gs_event_synchronize_any", kLimit},
        {"gs_event_synchronize_all", kLimit},
        {"gs_device_synchronize_for", kLimit},
        {"gs_stream_signal_timeline", kGrows},
        {"gs_timeline_signal", kGrows},
        {"gs_timeline_synchronize", kLimit},
        {"gs_timeline_abort", "ends the timeline for all that follow"},
        {"gs_timeline_from_fd", "needs a semaphore of another API: tests/fault has a scenario"},
        {"gs_token_create", kLease},
        {"gs_token_wait", kLease},
        {"gs_token_status", kLease},
        {"gs_stream_write_value", kOutlives},
        {"gs_stream_wait_value", kOutlives},
        {"gs_stream_batch_values", kOutlives},
        {"gs_rng_set_state", kProcess},
        {"gs_rng_reserve", kCapture},
        {"gs_partition_create", kPartition},
        {"gs_stream_create_in", kPartition},
        {"gs_stream_set_name", kName},
        {"gs_event_set_name", kName},
        {"gs_graph_set_name", kName},
        {"gs_memory_set_name", kName},
        {"gs_range_push", kRange},
        {"gs_range_pop", kRange},
        {"gs_range_start", "the range must end: the scenario ends it"},
        {"gs_range_end", kRange},
        {"gs_mark", "leaves an entry in the log and in a trace"},
        {"gs_trace_begin", kProcess},
        {"gs_trace_end", "ends a trace: the scenario begins one"},
        {"gs_trace_write", "writes what a trace has: the scenario has one"},
        {"gs_set_trace_callback", kProcess},
        {"gs_profiler_start", kProcess},
        {"gs_profiler_stop", kProcess},
        {"gs_check_start", kProcess},
        {"gs_check_stop", kProcess},
        {"gs_set_check_callback", kProcess},
        {"gs_malloc_async", kRelease},
        {"gs_free_async", kRelease},
        {"gs_pool_malloc", kRelease},
        {"gs_pool_trim", kPool},
        {"gs_pool_reset_peak", kPool},
        {"gs_pool_set_limit", kPool},
        {"gs_set_current_pool", kThreadState},
        {"gs_free_after", kRelease},
        {"gs_allocator_set_pool", kProcess},
        {"gs_allocator_record_stream", kRelease},
        {"gs_allocator_free", kRelease},
        {"gs_malloc_host", kRelease},
        {"gs_free_host", kRelease},
        {"gs_memcpy_async", kOutlives},
        {"gs_memcpy_batch_async", kOutlives},
        {"gs_memset_async", kOutlives},
        {"gs_kernel_launch", kOutlives},
        {"gs_module_load", kImage},
        {"gs_module_get_kernel", kImage},
        {"gs_module_destroy", kImage},
        {"gs_inventory_count", kNvml},
        {"gs_inventory_get", kNvml},
        {"gs_inventory_index", kNvml},
        {"gs_device_get_telemetry", kNvml},
    };
    return all;
}

bool is_repeatable(const Call &call, const std::vector<ByHand> &by_hand) {
    if (call.trace != Trace::None && call.trace != Trace::Undone) return false;
    return std::none_of(by_hand.begin(), by_hand.end(),
                        [&](const ByHand &one) { return std::strcmp(one.name, call.name) == 0; });
}

std::vector<std::string> wrongly_listed(const std::vector<Call> &calls, const std::vector<ByHand> &by_hand) {
    std::vector<std::string> wrong;
    for (const Call &call : calls) {
        const auto rows = std::count_if(by_hand.begin(), by_hand.end(),
                                        [&](const ByHand &one) { return std::strcmp(one.name, call.name) == 0; });
        const bool generated =
            call.trace == Trace::Undoes || call.trace == Trace::CannotFail || is_repeatable(call, by_hand);
        if (rows == 0 && !generated)
            wrong.push_back(std::string(call.name) + " is neither repeatable nor in by_hand.cpp");
        if (rows > 1) wrong.push_back(std::string(call.name) + " is in by_hand.cpp twice");
        if (rows > 0 && call.trace == Trace::CannotFail) wrong.push_back(std::string(call.name) + " cannot fail");
    }
    for (const ByHand &one : by_hand)
        if (std::none_of(calls.begin(), calls.end(),
                         [&](const Call &call) { return std::strcmp(one.name, call.name) == 0; }))
            wrong.push_back(std::string(one.name) + " is no function of the header");
    return wrong;
}

} // namespace gs::test
