// SPDX-License-Identifier: Apache-2.0
// What the table of library_calls.cpp does not cover: a kernel's arguments, and the runner's own operations (with a dot in
// their names).
#include "operations.hpp"

#include "library_calls.hpp"

namespace parity {
namespace {

// A kernel's argument list is the one pointer to pointers that is an input: [["u32", 3], ["pointer", "$p"]].
std::vector<void *> kernel_arguments(Arguments &arguments) {
    std::vector<void *> pointers;
    for (const Json &argument : arguments.next().items) {
        const uint64_t bits = arguments.names().resolve(argument.items.at(1)).bits;
        const size_t size = argument.items.at(0).text == "u32" ? 4 : 8;
        auto &bytes = arguments.keep(size);
        std::memcpy(bytes.data(), &bits, size); // little-endian, as every platform of the library
        pointers.push_back(bytes.data());
    }
    return pointers;
}

template <typename Handle>
Handle next_handle(Arguments &arguments) {
    return reinterpret_cast<Handle>(arguments.next_value().bits);
}

Result launch_kernel(void *library, Arguments &arguments) {
    const auto kernel = next_handle<gs_kernel_t>(arguments);
    size_t outputs = 0;
    Parameter<const gs_launch_config_t *> config(arguments, outputs);
    std::vector<void *> pointers = kernel_arguments(arguments);
    const auto stream = next_handle<gs_stream_t>(arguments);
    arguments.finish();
    Result result;
    result.has_status = true;
    result.status =
        symbol<decltype(gs_kernel_launch)>(library, "gs_kernel_launch")(kernel, config.get(), pointers.data(), stream);
    return result;
}

} // namespace

Result call_library(void *library, const std::string &name, Arguments &arguments) {
    if (name == "gs_kernel_launch") return launch_kernel(library, arguments);
    const auto found = library_calls().find(name);
    if (found == library_calls().end()) throw Failure("no operation " + name);
    return found->second(library, name, arguments);
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
    } else if (name == "counter.function") {
        value.bits = reinterpret_cast<uint64_t>(symbol<void(void *)>(native, "parity_count"));
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
