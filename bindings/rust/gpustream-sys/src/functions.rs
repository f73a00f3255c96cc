// SPDX-License-Identifier: Apache-2.0
//! The header's functions, in its order: one line each. A new function needs only its line. The list makes the table of
//! opened symbols, the block of linked ones, the methods of [`Api`](crate::Api) and the parity cases. tests/abi/check_rust.py
//! of the repository prints the line.

/// Calls a macro with the list of functions: `fn name(argument: type, ...) -> type;`.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! for_each_function {
    ($then:path) => {
        $then! {
            // version, status, errors
            fn gs_version() -> u32;
            fn gs_abi_version() -> u32;
            fn gs_version_string() -> *const c_char;
            fn gs_instance_count() -> i32;
            fn gs_status_name(status: gs_status_t) -> *const c_char;
            fn gs_status_message(status: gs_status_t) -> *const c_char;
            fn gs_last_error(out_error: *mut gs_error_info_t) -> gs_status_t;
            fn gs_native_error_text(backend: gs_backend_t, native: i32) -> *const c_char;
            fn gs_set_log_callback(callback: gs_log_fn, arg: *mut c_void) -> gs_status_t;
            // library
            fn gs_init() -> gs_status_t;
            fn gs_is_initialized(out_initialized: *mut i32) -> gs_status_t;
            fn gs_is_available(out_available: *mut i32) -> gs_status_t;
            fn gs_call_on_init(callback: gs_init_fn, arg: *mut c_void) -> gs_status_t;
            fn gs_fork_status(out_status: *mut i32) -> gs_status_t;
            fn gs_set_option(option: i32, value: i64) -> gs_status_t;
            fn gs_get_option(option: i32, out_value: *mut i64) -> gs_status_t;
            fn gs_get_stats(out_stats: *mut gs_stats_t) -> gs_status_t;
            fn gs_reset_stats() -> gs_status_t;
            fn gs_trim() -> gs_status_t;
            fn gs_forbid_sync(on: i32, out_previous: *mut i32) -> gs_status_t;
            // devices
            fn gs_default_backend(out_backend: *mut gs_backend_t) -> gs_status_t;
            fn gs_device_make(backend: gs_backend_t, ordinal: i32) -> gs_device_t;
            fn gs_device_backend(device: gs_device_t) -> gs_backend_t;
            fn gs_device_ordinal(device: gs_device_t) -> i32;
            fn gs_device_count(backend: gs_backend_t, out_count: *mut i32) -> gs_status_t;
            fn gs_current_device(out_device: *mut gs_device_t) -> gs_status_t;
            fn gs_set_current_device(device: gs_device_t) -> gs_status_t;
            fn gs_exchange_device(device: gs_device_t, out_previous: *mut gs_device_t) -> gs_status_t;
            fn gs_device_synchronize(device: gs_device_t) -> gs_status_t;
            fn gs_device_check(device: gs_device_t) -> gs_status_t;
            fn gs_device_reset(device: gs_device_t) -> gs_status_t;
            fn gs_device_get_info(device: gs_device_t, out_info: *mut gs_device_info_t) -> gs_status_t;
            fn gs_device_can_access_peer(device: gs_device_t, peer: gs_device_t, out_can_access: *mut i32) -> gs_status_t;
            fn gs_device_peers(device: gs_device_t, out_devices: *mut gs_device_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_device_from_pci(address: *const c_char, out_device: *mut gs_device_t) -> gs_status_t;
            fn gs_device_get_limit(device: gs_device_t, limit: i32, out_value: *mut u64) -> gs_status_t;
            fn gs_device_set_limit(device: gs_device_t, limit: i32, value: u64) -> gs_status_t;
            fn gs_device_priority_range(device: gs_device_t, out_least: *mut i32, out_greatest: *mut i32) -> gs_status_t;
            // streams
            fn gs_stream_create(device: gs_device_t, priority: i32, flags: u32, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_stream_from_native(device: gs_device_t, native: usize, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_stream_from_native_owned(device: gs_device_t, native: usize, release: gs_host_fn, arg: *mut c_void, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_stream_into_native(stream: gs_stream_t, out_native: *mut usize) -> gs_status_t;
            fn gs_stream_retain(stream: gs_stream_t) -> gs_status_t;
            fn gs_stream_destroy(stream: gs_stream_t) -> gs_status_t;
            fn gs_default_stream(device: gs_device_t, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_per_thread_stream(device: gs_device_t, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_stream_query(stream: gs_stream_t, out_done: *mut i32) -> gs_status_t;
            fn gs_stream_synchronize(stream: gs_stream_t) -> gs_status_t;
            fn gs_stream_native(stream: gs_stream_t, out_native: *mut usize) -> gs_status_t;
            fn gs_stream_id(stream: gs_stream_t, out_id: *mut i64) -> gs_status_t;
            fn gs_stream_driver_id(stream: gs_stream_t, out_id: *mut u64) -> gs_status_t;
            fn gs_stream_context(stream: gs_stream_t, out_context: *mut usize) -> gs_status_t;
            fn gs_stream_device(stream: gs_stream_t, out_device: *mut gs_device_t) -> gs_status_t;
            fn gs_stream_get_info(stream: gs_stream_t, out_info: *mut gs_stream_info_t) -> gs_status_t;
            fn gs_stream_is_capturing(stream: gs_stream_t, out_capturing: *mut i32) -> gs_status_t;
            fn gs_stream_equal(stream: gs_stream_t, other: gs_stream_t, out_equal: *mut i32) -> gs_status_t;
            fn gs_stream_pack(stream: gs_stream_t, out_triple: *mut gs_stream_triple_t) -> gs_status_t;
            fn gs_stream_unpack(triple: *const gs_stream_triple_t, out_stream: *mut gs_stream_t) -> gs_status_t;
            // partitions
            fn gs_partition_create(device: gs_device_t, counts: *const u32, count: usize, flags: u32, out_partitions: *mut gs_partition_t) -> gs_status_t;
            fn gs_partition_destroy(partition: gs_partition_t) -> gs_status_t;
            fn gs_partition_info(partition: gs_partition_t, out_info: *mut gs_partition_summary_t) -> gs_status_t;
            fn gs_stream_create_in(partition: gs_partition_t, priority: i32, flags: u32, out_stream: *mut gs_stream_t) -> gs_status_t;
            // events
            fn gs_stream_wait_event(stream: gs_stream_t, event: gs_event_t) -> gs_status_t;
            fn gs_stream_wait_stream(stream: gs_stream_t, other: gs_stream_t) -> gs_status_t;
            fn gs_stream_record_event(stream: gs_stream_t, event: gs_event_t) -> gs_status_t;
            fn gs_event_create(flags: u32, out_event: *mut gs_event_t) -> gs_status_t;
            fn gs_event_retain(event: gs_event_t) -> gs_status_t;
            fn gs_event_destroy(event: gs_event_t) -> gs_status_t;
            fn gs_event_from_native(device: gs_device_t, native: usize, out_event: *mut gs_event_t) -> gs_status_t;
            fn gs_event_from_native_owned(device: gs_device_t, native: usize, release: gs_host_fn, arg: *mut c_void, out_event: *mut gs_event_t) -> gs_status_t;
            fn gs_event_into_native(event: gs_event_t, out_native: *mut usize) -> gs_status_t;
            fn gs_event_record(event: gs_event_t, stream: gs_stream_t) -> gs_status_t;
            fn gs_event_wait(event: gs_event_t, stream: gs_stream_t) -> gs_status_t;
            fn gs_event_query(event: gs_event_t, out_done: *mut i32) -> gs_status_t;
            fn gs_event_synchronize(event: gs_event_t) -> gs_status_t;
            fn gs_event_elapsed_ms(start: gs_event_t, end: gs_event_t, out_ms: *mut f64) -> gs_status_t;
            fn gs_device_calibrate(device: gs_device_t, out_error_ns: *mut i64) -> gs_status_t;
            fn gs_event_time_ns(event: gs_event_t, out_ns: *mut i64, out_error_ns: *mut i64) -> gs_status_t;
            fn gs_event_native(event: gs_event_t, out_native: *mut usize) -> gs_status_t;
            fn gs_event_id(event: gs_event_t, out_id: *mut u64) -> gs_status_t;
            fn gs_event_device(event: gs_event_t, out_device: *mut gs_device_t) -> gs_status_t;
            fn gs_event_get_info(event: gs_event_t, out_info: *mut gs_event_info_t) -> gs_status_t;
            fn gs_event_ipc_export(event: gs_event_t, out_handle: *mut gs_ipc_handle_t) -> gs_status_t;
            fn gs_event_ipc_open(device: gs_device_t, handle: *const gs_ipc_handle_t, out_event: *mut gs_event_t) -> gs_status_t;
            // current stream
            fn gs_current_stream(device: gs_device_t, out_stream: *mut gs_stream_t) -> gs_status_t;
            fn gs_current_native(device: gs_device_t, out_native: *mut usize) -> gs_status_t;
            fn gs_set_current_stream(stream: gs_stream_t) -> gs_status_t;
            fn gs_exchange_current_stream(stream: gs_stream_t, out_previous: *mut gs_stream_t) -> gs_status_t;
            fn gs_push_current_stream(stream: gs_stream_t, out_scope: *mut u64) -> gs_status_t;
            fn gs_pop_current_stream(scope: u64) -> gs_status_t;
            fn gs_unwind_current_stream(scope: u64) -> gs_status_t;
            fn gs_current_snapshot(out_snapshot: *mut gs_snapshot_t) -> gs_status_t;
            fn gs_current_adopt(snapshot: *const gs_snapshot_t, out_scope: *mut u64) -> gs_status_t;
            // work
            fn gs_stream_launch_host(stream: gs_stream_t, callback: gs_host_fn, arg: *mut c_void) -> gs_status_t;
            fn gs_stream_notify(stream: gs_stream_t, callback: gs_notify_fn, arg: *mut c_void) -> gs_status_t;
            fn gs_stream_sleep(stream: gs_stream_t, cycles: u64) -> gs_status_t;
            fn gs_memcpy_async(dst: *mut c_void, src: *const c_void, bytes: usize, stream: gs_stream_t) -> gs_status_t;
            fn gs_memcpy_batch_async(copies: *const gs_copy_t, count: usize, order: i32, stream: gs_stream_t) -> gs_status_t;
            fn gs_memset_async(dst: *mut c_void, value: i32, bytes: usize, stream: gs_stream_t) -> gs_status_t;
            fn gs_module_load(device: gs_device_t, image: *const c_void, bytes: usize, out_module: *mut gs_module_t) -> gs_status_t;
            fn gs_module_destroy(module: gs_module_t) -> gs_status_t;
            fn gs_module_get_kernel(module: gs_module_t, name: *const c_char, out_kernel: *mut gs_kernel_t) -> gs_status_t;
            fn gs_kernel_launch(kernel: gs_kernel_t, config: *const gs_launch_config_t, arguments: *mut *mut c_void, stream: gs_stream_t) -> gs_status_t;
            // memory
            fn gs_malloc_async(bytes: usize, stream: gs_stream_t, out_pointer: *mut *mut c_void) -> gs_status_t;
            fn gs_free_async(pointer: *mut c_void, stream: gs_stream_t) -> gs_status_t;
            fn gs_malloc_host(bytes: usize, out_pointer: *mut *mut c_void) -> gs_status_t;
            fn gs_free_host(pointer: *mut c_void) -> gs_status_t;
            fn gs_pool_create(device: gs_device_t, options: *const gs_pool_options_t, out_pool: *mut gs_pool_t) -> gs_status_t;
            fn gs_pool_default(device: gs_device_t, out_pool: *mut gs_pool_t) -> gs_status_t;
            fn gs_pool_retain(pool: gs_pool_t) -> gs_status_t;
            fn gs_pool_destroy(pool: gs_pool_t) -> gs_status_t;
            fn gs_pool_malloc(pool: gs_pool_t, bytes: usize, stream: gs_stream_t, out_pointer: *mut *mut c_void) -> gs_status_t;
            fn gs_pool_trim(pool: gs_pool_t, keep_bytes: u64) -> gs_status_t;
            fn gs_pool_get_stats(pool: gs_pool_t, out_stats: *mut gs_pool_stats_t) -> gs_status_t;
            fn gs_pool_reset_peak(pool: gs_pool_t) -> gs_status_t;
            fn gs_pool_set_limit(pool: gs_pool_t, bytes: u64) -> gs_status_t;
            fn gs_set_current_pool(pool: gs_pool_t) -> gs_status_t;
            fn gs_current_pool(device: gs_device_t, out_pool: *mut gs_pool_t) -> gs_status_t;
            fn gs_free_after(pointer: *mut c_void, streams: *const gs_stream_t, count: usize) -> gs_status_t;
            fn gs_allocator_set_pool(pool: gs_pool_t) -> gs_status_t;
            fn gs_allocator_malloc(bytes: usize, device: gs_device_t, native: usize) -> usize;
            fn gs_allocator_record_stream(pointer: *mut c_void, native: usize) -> gs_status_t;
            fn gs_allocator_free(pointer: *mut c_void, bytes: usize, device: gs_device_t, native: usize) -> gs_status_t;
            // captures
            fn gs_stream_begin_capture(stream: gs_stream_t, mode: i32) -> gs_status_t;
            fn gs_stream_begin_capture_to(stream: gs_stream_t, graph: gs_graph_t, after: *const gs_node_t, count: usize, mode: i32) -> gs_status_t;
            fn gs_stream_end_capture(stream: gs_stream_t, out_graph: *mut gs_graph_t) -> gs_status_t;
            fn gs_stream_abort_capture(stream: gs_stream_t) -> gs_status_t;
            fn gs_stream_capture_info(stream: gs_stream_t, out_info: *mut gs_capture_info_t) -> gs_status_t;
            fn gs_stream_capture_nodes(stream: gs_stream_t, out_nodes: *mut gs_node_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_stream_set_capture_nodes(stream: gs_stream_t, nodes: *const gs_node_t, count: usize, add: i32) -> gs_status_t;
            // graphs
            fn gs_graph_create(device: gs_device_t, flags: u32, out_graph: *mut gs_graph_t) -> gs_status_t;
            fn gs_graph_from_native(device: gs_device_t, native: usize, out_graph: *mut gs_graph_t) -> gs_status_t;
            fn gs_graph_retain(graph: gs_graph_t) -> gs_status_t;
            fn gs_graph_destroy(graph: gs_graph_t) -> gs_status_t;
            fn gs_graph_native(graph: gs_graph_t, out_native: *mut usize) -> gs_status_t;
            fn gs_graph_keep(graph: gs_graph_t, release: gs_host_fn, arg: *mut c_void) -> gs_status_t;
            fn gs_graph_instantiate(graph: gs_graph_t, flags: u32, out_exec: *mut gs_graph_exec_t) -> gs_status_t;
            fn gs_graph_exec_launch(exec: gs_graph_exec_t, stream: gs_stream_t) -> gs_status_t;
            fn gs_graph_exec_upload(exec: gs_graph_exec_t, stream: gs_stream_t) -> gs_status_t;
            fn gs_graph_exec_retain(exec: gs_graph_exec_t) -> gs_status_t;
            fn gs_graph_exec_destroy(exec: gs_graph_exec_t) -> gs_status_t;
            fn gs_graph_exec_native(exec: gs_graph_exec_t, out_native: *mut usize) -> gs_status_t;
            // graph nodes
            fn gs_graph_add_node(graph: gs_graph_t, after: *const gs_node_t, count: usize, params: *const gs_node_params_t, out_node: *mut gs_node_t) -> gs_status_t;
            fn gs_graph_node_bodies(graph: gs_graph_t, node: gs_node_t, out_bodies: *mut gs_graph_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_graph_clone(graph: gs_graph_t, out_graph: *mut gs_graph_t) -> gs_status_t;
            fn gs_graph_info(graph: gs_graph_t, out_info: *mut gs_graph_summary_t) -> gs_status_t;
            fn gs_graph_nodes(graph: gs_graph_t, out_nodes: *mut gs_node_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_graph_edges(graph: gs_graph_t, out_nodes: *mut gs_node_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_graph_node_info(graph: gs_graph_t, node: gs_node_t, out_info: *mut gs_node_params_t) -> gs_status_t;
            fn gs_graph_node_native(graph: gs_graph_t, node: gs_node_t, out_native: *mut usize) -> gs_status_t;
            fn gs_graph_write_dot(graph: gs_graph_t, write: Option<unsafe extern "C" fn(arg: *mut c_void, text: *const c_char, bytes: usize) -> gs_status_t>, arg: *mut c_void) -> gs_status_t;
            fn gs_graph_exec_update(exec: gs_graph_exec_t, graph: gs_graph_t, out_result: *mut gs_graph_update_t) -> gs_status_t;
            fn gs_graph_exec_set_node(exec: gs_graph_exec_t, node: gs_node_t, params: *const gs_node_params_t) -> gs_status_t;
            fn gs_graph_exec_enable_node(exec: gs_graph_exec_t, node: gs_node_t, enabled: i32) -> gs_status_t;
            // random state
            fn gs_rng_get_state(device: gs_device_t, out_seed: *mut u64, out_offset: *mut u64) -> gs_status_t;
            fn gs_rng_set_state(device: gs_device_t, seed: u64, offset: u64) -> gs_status_t;
            fn gs_rng_reserve(stream: gs_stream_t, count: u64, out_philox: *mut gs_philox_t) -> gs_status_t;
            // completion
            fn gs_queue_create(capacity: u32, flags: u32, out_queue: *mut gs_queue_t) -> gs_status_t;
            fn gs_queue_retain(queue: gs_queue_t) -> gs_status_t;
            fn gs_queue_destroy(queue: gs_queue_t) -> gs_status_t;
            fn gs_queue_fd(queue: gs_queue_t, out_fd: *mut i32) -> gs_status_t;
            fn gs_queue_add_stream(queue: gs_queue_t, stream: gs_stream_t, token: u64) -> gs_status_t;
            fn gs_queue_add_event(queue: gs_queue_t, event: gs_event_t, token: u64) -> gs_status_t;
            fn gs_queue_cancel(queue: gs_queue_t, token: u64, out_count: *mut usize) -> gs_status_t;
            fn gs_queue_wake(queue: gs_queue_t) -> gs_status_t;
            fn gs_queue_poll(queue: gs_queue_t, out_entries: *mut gs_completion_t, capacity: usize, out_count: *mut usize) -> gs_status_t;
            fn gs_queue_wait(queue: gs_queue_t, out_entries: *mut gs_completion_t, capacity: usize, timeout_ns: i64, out_count: *mut usize) -> gs_status_t;
            fn gs_stream_synchronize_for(stream: gs_stream_t, timeout_ns: i64) -> gs_status_t;
            fn gs_event_synchronize_for(event: gs_event_t, timeout_ns: i64) -> gs_status_t;
            fn gs_device_synchronize_for(device: gs_device_t, timeout_ns: i64) -> gs_status_t;
            fn gs_event_synchronize_any(events: *const gs_event_t, count: usize, timeout_ns: i64, out_index: *mut usize) -> gs_status_t;
            fn gs_event_synchronize_all(events: *const gs_event_t, count: usize, timeout_ns: i64) -> gs_status_t;
            fn gs_stream_defer(stream: gs_stream_t, callback: gs_host_fn, arg: *mut c_void) -> gs_status_t;
            // timelines
            fn gs_timeline_create(device: gs_device_t, initial: u64, flags: u32, out_timeline: *mut gs_timeline_t) -> gs_status_t;
            fn gs_timeline_retain(timeline: gs_timeline_t) -> gs_status_t;
            fn gs_timeline_destroy(timeline: gs_timeline_t) -> gs_status_t;
            fn gs_stream_signal_timeline(stream: gs_stream_t, timeline: gs_timeline_t, value: u64) -> gs_status_t;
            fn gs_stream_wait_timeline(stream: gs_stream_t, timeline: gs_timeline_t, value: u64) -> gs_status_t;
            fn gs_timeline_signal(timeline: gs_timeline_t, value: u64) -> gs_status_t;
            fn gs_timeline_value(timeline: gs_timeline_t, out_value: *mut u64) -> gs_status_t;
            fn gs_timeline_synchronize(timeline: gs_timeline_t, value: u64, timeout_ns: i64) -> gs_status_t;
            fn gs_timeline_abort(timeline: gs_timeline_t, status: gs_status_t) -> gs_status_t;
            fn gs_timeline_from_fd(device: gs_device_t, kind: i32, fd: i32, out_timeline: *mut gs_timeline_t) -> gs_status_t;
            fn gs_stream_write_value(stream: gs_stream_t, address: *mut c_void, value: u64, flags: u32) -> gs_status_t;
            fn gs_stream_wait_value(stream: gs_stream_t, address: *mut c_void, value: u64, flags: u32) -> gs_status_t;
            fn gs_stream_batch_values(stream: gs_stream_t, ops: *const gs_value_op_t, count: usize) -> gs_status_t;
            // tokens
            fn gs_token_create(stream: gs_stream_t, out_token: *mut gs_token_t) -> gs_status_t;
            fn gs_token_wait(stream: gs_stream_t, token: *const gs_token_t) -> gs_status_t;
            fn gs_token_status(token: *const gs_token_t, out_status: *mut gs_status_t) -> gs_status_t;
            // bridges
            fn gs_bridge_register(bridge: *const gs_bridge_t, out_bridge: *mut i32) -> gs_status_t;
            fn gs_bridge_unregister(bridge: i32) -> gs_status_t;
            fn gs_bridge_find(name: *const c_char, out_bridge: *mut i32) -> gs_status_t;
            fn gs_bridge_lead(bridge: i32, on: i32) -> gs_status_t;
            fn gs_bridge_follow(bridge: i32) -> gs_status_t;
            fn gs_dlpack_current_work_stream(device_type: i32, device_id: i32, out_stream: *mut *mut c_void) -> i32;
            // inventory and telemetry
            fn gs_inventory_count(out_gpus: *mut i32, out_entries: *mut i32) -> gs_status_t;
            fn gs_inventory_get(index: i32, out_entry: *mut gs_inventory_entry_t) -> gs_status_t;
            fn gs_inventory_index(device: gs_device_t, out_index: *mut i32) -> gs_status_t;
            fn gs_parse_visible_devices(value: *const c_char, out_list: *mut *const c_char) -> gs_status_t;
            fn gs_device_get_telemetry(device: gs_device_t, fields: u32, out_telemetry: *mut gs_telemetry_t) -> gs_status_t;
            // seeing and checking
            fn gs_stream_set_name(stream: gs_stream_t, name: *const c_char) -> gs_status_t;
            fn gs_event_set_name(event: gs_event_t, name: *const c_char) -> gs_status_t;
            fn gs_graph_set_name(graph: gs_graph_t, name: *const c_char) -> gs_status_t;
            fn gs_memory_set_name(pointer: *const c_void, name: *const c_char) -> gs_status_t;
            fn gs_range_push(name: *const c_char) -> gs_status_t;
            fn gs_range_pop() -> gs_status_t;
            fn gs_range_start(name: *const c_char, out_range: *mut u64) -> gs_status_t;
            fn gs_range_end(range: u64) -> gs_status_t;
            fn gs_mark(text: *const c_char) -> gs_status_t;
            fn gs_trace_begin(options: *const gs_trace_options_t, out_trace: *mut u64) -> gs_status_t;
            fn gs_trace_end(trace: u64) -> gs_status_t;
            fn gs_trace_write(trace: u64, write: Option<unsafe extern "C" fn(arg: *mut c_void, text: *const c_char, bytes: usize) -> gs_status_t>, arg: *mut c_void) -> gs_status_t;
            fn gs_set_trace_callback(callback: Option<unsafe extern "C" fn(arg: *mut c_void, kind: i32, stream: u64, object: u64, value: u64, text: *const c_char)>, arg: *mut c_void) -> gs_status_t;
            fn gs_profiler_start() -> gs_status_t;
            fn gs_profiler_stop() -> gs_status_t;
            fn gs_dump(fd: i32) -> gs_status_t;
            fn gs_explain_wait(stream: gs_stream_t, out_text: *mut c_char, capacity: usize, out_bytes: *mut usize) -> gs_status_t;
            fn gs_dump_log(path: *const c_char, fd: i32) -> gs_status_t;
            fn gs_check_start(flags: u32) -> gs_status_t;
            fn gs_check_stop() -> gs_status_t;
            fn gs_check_read(stream: gs_stream_t, address: *const c_void, bytes: usize, label: *const c_char) -> gs_status_t;
            fn gs_check_write(stream: gs_stream_t, address: *const c_void, bytes: usize, label: *const c_char) -> gs_status_t;
            fn gs_graph_check_read(graph: gs_graph_t, node: gs_node_t, address: *const c_void, bytes: usize, label: *const c_char) -> gs_status_t;
            fn gs_graph_check_write(graph: gs_graph_t, node: gs_node_t, address: *const c_void, bytes: usize, label: *const c_char) -> gs_status_t;
            fn gs_check_handover(inout_clock: *mut u64) -> gs_status_t;
            fn gs_set_check_callback(callback: Option<unsafe extern "C" fn(arg: *mut c_void, text: *const c_char, json: *const c_char)>, arg: *mut c_void) -> gs_status_t;
        }
    };
}
