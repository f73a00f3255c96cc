// SPDX-License-Identifier: Apache-2.0
// The functions of the header by name, and the runner's own operations (with a dot in their names).
#include "operations.hpp"

namespace parity {
namespace {

template <typename F>
F *symbol(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (!address) throw Failure(std::string("the library has no ") + name);
    return reinterpret_cast<F *>(address);
}

// gs_kernel_launch's argument list is the one pointer to pointers that is an input: [["u32", 3], ["pointer", "$p"]].
Result launch_kernel(void *library, Arguments &arguments) {
    const Value kernel = arguments.next_value();
    const gs_launch_config_t *config = launch_config(arguments);
    std::vector<void *> pointers;
    for (const Json &argument : arguments.next().items) {
        const uint64_t bits = arguments.names().resolve(argument.items.at(1)).bits;
        const size_t size = argument.items.at(0).text == "u32" ? 4 : 8;
        auto &bytes = arguments.keep(size);
        std::memcpy(bytes.data(), &bits, size); // little-endian, as every platform of the library
        pointers.push_back(bytes.data());
    }
    const Value stream = arguments.next_value();
    arguments.finish();
    Result result;
    result.has_status = true;
    result.status = symbol<decltype(gs_kernel_launch)>(library, "gs_kernel_launch")(
        reinterpret_cast<gs_kernel_t>(kernel.bits), config, pointers.data(),
        reinterpret_cast<gs_stream_t>(stream.bits));
    return result;
}

template <typename F>
Result call_by_name(void *library, const char *name, bool has_status, Arguments &arguments) {
    Result result = call(symbol<F>(library, name), arguments);
    result.has_status = has_status;
    if (has_status) result.status = static_cast<gs_status_t>(result.returned.bits);
    return result;
}

} // namespace

const gs_launch_config_t *launch_config(Arguments &arguments) {
    const Json &json = arguments.next();
    if (json.is(Json::Type::Null)) return nullptr;
    gs_launch_config_t config{};
    config.struct_size = sizeof config;
    if (const Json *size = json.find("struct_size")) config.struct_size = static_cast<uint32_t>(size->number);
    uint32_t *sides[] = {&config.grid_x,  &config.grid_y,  &config.grid_z,
                         &config.block_x, &config.block_y, &config.block_z};
    for (size_t i = 0; i < 6; ++i)
        *sides[i] = static_cast<uint32_t>(json.at(i < 3 ? "grid" : "block").items.at(i % 3).number);
    if (const Json *shared = json.find("shared")) config.shared_memory_bytes = static_cast<uint32_t>(shared->number);
    auto &bytes = arguments.keep(sizeof config);
    std::memcpy(bytes.data(), &config, sizeof config);
    return reinterpret_cast<const gs_launch_config_t *>(bytes.data());
}

Result call_library(void *library, const std::string &name, Arguments &arguments) {
#define STATUS(function)                                                                                               \
    if (name == #function) return call_by_name<decltype(function)>(library, #function, true, arguments);
#define PLAIN(function)                                                                                                \
    if (name == #function) return call_by_name<decltype(function)>(library, #function, false, arguments);
    PLAIN(gs_version)
    PLAIN(gs_abi_version) PLAIN(gs_version_string) PLAIN(gs_instance_count) PLAIN(gs_status_name) PLAIN(
        gs_status_message) STATUS(gs_last_error) PLAIN(gs_native_error_text) STATUS(gs_set_log_callback) STATUS(gs_init)
        STATUS(gs_is_initialized) STATUS(gs_is_available) STATUS(gs_call_on_init) STATUS(gs_fork_status) STATUS(
            gs_set_sync_debug_mode) STATUS(gs_get_sync_debug_mode) STATUS(gs_set_sync_debug_scope)
            STATUS(gs_get_sync_debug_scope) STATUS(gs_get_stats) STATUS(gs_reset_stats) STATUS(gs_trim) STATUS(
                gs_default_backend) PLAIN(gs_device_make) PLAIN(gs_device_backend) PLAIN(gs_device_ordinal)
                STATUS(gs_device_count) STATUS(gs_current_device) STATUS(gs_set_current_device) STATUS(
                    gs_exchange_device) STATUS(gs_maybe_exchange_device) STATUS(gs_device_synchronize)
                    STATUS(gs_device_check) STATUS(gs_device_get_info) STATUS(gs_device_can_access_peer) STATUS(
                        gs_device_priority_range) STATUS(gs_inventory_count) STATUS(gs_inventory_get)
                        STATUS(gs_inventory_index) STATUS(gs_parse_visible_devices) STATUS(gs_match_uuids) STATUS(
                            gs_device_utilization_percent) STATUS(gs_device_memory_utilization_percent)
                            STATUS(gs_device_temperature_celsius) STATUS(gs_device_power_milliwatts) STATUS(
                                gs_device_sm_clock_mhz) STATUS(gs_device_memory_bytes) PLAIN(gs_arch_list)
                                PLAIN(gs_gencode_flags) STATUS(gs_current_blas_handle) STATUS(gs_stream_create) STATUS(
                                    gs_stream_from_native) STATUS(gs_stream_from_native_owned) STATUS(gs_stream_retain)
                                    STATUS(gs_stream_destroy) STATUS(gs_default_stream) STATUS(
                                        gs_per_thread_stream) STATUS(gs_current_stream) STATUS(gs_set_current_stream)
                                        STATUS(gs_exchange_current_stream) STATUS(gs_push_current_stream) STATUS(
                                            gs_pop_current_stream) STATUS(gs_unwind_current_stream) STATUS(gs_stream_query)
                                            STATUS(gs_stream_synchronize) STATUS(gs_stream_wait_event) STATUS(
                                                gs_stream_wait_stream) STATUS(gs_stream_record_event)
                                                STATUS(gs_stream_native) STATUS(gs_stream_id) STATUS(
                                                    gs_stream_device) STATUS(gs_stream_priority) STATUS(gs_stream_flags)
                                                    STATUS(gs_stream_is_capturing) STATUS(gs_stream_equal) STATUS(
                                                        gs_stream_hash) STATUS(gs_stream_pack) STATUS(gs_stream_unpack)
                                                        STATUS(gs_stream_launch_host) STATUS(gs_stream_notify) STATUS(
                                                            gs_stream_sleep) STATUS(gs_event_create)
                                                            STATUS(gs_event_retain) STATUS(gs_event_destroy) STATUS(
                                                                gs_event_from_native) STATUS(gs_event_record)
                                                                STATUS(gs_event_wait) STATUS(gs_event_query) STATUS(
                                                                    gs_event_synchronize) STATUS(gs_event_elapsed_ms)
                                                                    STATUS(gs_event_native) STATUS(gs_event_id) STATUS(
                                                                        gs_event_device) STATUS(gs_event_flags)
                                                                        STATUS(gs_event_ipc_export) STATUS(
                                                                            gs_event_ipc_open) STATUS(gs_malloc_async)
                                                                            STATUS(gs_free_async) STATUS(
                                                                                gs_malloc_host) STATUS(gs_free_host)
                                                                                STATUS(gs_memcpy_async) STATUS(
                                                                                    gs_memset_async)
                                                                                    STATUS(gs_module_load) STATUS(
                                                                                        gs_module_destroy)
                                                                                        STATUS(gs_module_get_kernel) if (
                                                                                            name ==
                                                                                            "gs_kernel_"
                                                                                            "launc"
                                                                                            "h") return launch_kernel(library,
                                                                                                                      arguments);
    throw Failure("no operation " + name);
}

Result call_own(void *native, const std::string &name, Arguments &arguments) {
    Result result;
    Value value;
    if (name == "gate.new") {
        value.bits = reinterpret_cast<uint64_t>(symbol<void *()>(native, "parity_gate_new")());
    } else if (name == "gate.open") {
        symbol<void(void *)>(native, "parity_gate_open")(reinterpret_cast<void *>(arguments.next_value().bits));
    } else if (name == "counter.new") {
        value.bits = reinterpret_cast<uint64_t>(symbol<void *()>(native, "parity_counter_new")());
    } else if (name == "counter.get") {
        value.bits = static_cast<uint64_t>(symbol<int64_t(void *)>(native, "parity_counter_get")(
            reinterpret_cast<void *>(arguments.next_value().bits)));
    } else if (name == "buffer.u32") { // address, index
        const auto *words = reinterpret_cast<const uint32_t *>(arguments.next_value().bits);
        value.bits = words[arguments.next_value().bits];
    } else if (name == "triple.new") { // id, index, type
        gs_stream_triple_t triple{};
        triple.id = static_cast<int64_t>(arguments.next_value().bits);
        triple.device_index = static_cast<int32_t>(arguments.next_value().bits);
        triple.device_type = static_cast<int32_t>(arguments.next_value().bits);
        value = Parameter<int32_t>::as_value(triple);
    } else if (name == "ipc.new") { // fill
        gs_ipc_handle_t handle{};
        std::memset(&handle, static_cast<int>(arguments.next_value().bits), sizeof handle);
        value = Parameter<int32_t>::as_value(handle);
    } else {
        throw Failure("no operation " + name);
    }
    arguments.finish();
    result.outputs.push_back(value);
    return result;
}

} // namespace parity
