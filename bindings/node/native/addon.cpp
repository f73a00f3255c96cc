// SPDX-License-Identifier: Apache-2.0
// The module: every function of the library under its name, and what JavaScript needs beside them. Workers load it too.
#include <dlfcn.h>

#include "call.hpp"
#include "hot.hpp"
#include "library.hpp"
#include "reports.hpp"
#include "watch.hpp"

namespace gs_node {
namespace {

// load(path or null): [0, file in use] or [1 not found, 2 wrong ABI, 3 another is in use; what is wrong].
napi_value load_library(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value = nullptr, result = nullptr, part = nullptr;
    napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
    Argument<const char *> path;
    if (!path.take(env, value)) {
        napi_throw_type_error(env, nullptr, "a path is a string");
        return nullptr;
    }
    std::string text;
    const Loaded outcome = load(path.get() ? path.get() : "", &text);
    napi_create_array_with_length(env, 2, &result);
    napi_create_int32(env, static_cast<int32_t>(outcome), &part);
    napi_set_element(env, result, 0, part);
    napi_create_string_utf8(env, text.c_str(), text.size(), &part);
    napi_set_element(env, result, 1, part);
    return result;
}

// addressOf(view): of memory that the caller keeps.
napi_value address_of(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value = nullptr, result = nullptr;
    void *address = nullptr;
    napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
    if (count != 1 || !take_address(env, value, &address)) {
        napi_throw_type_error(env, nullptr, "memory is wanted");
        return nullptr;
    }
    napi_create_bigint_uint64(env, reinterpret_cast<uint64_t>(address), &result);
    return result;
}

// memory(address, bytes): the memory of another owner, as an ArrayBuffer without one.
napi_value memory(napi_env env, napi_callback_info info) {
    size_t count = 2;
    napi_value values[2] = {nullptr, nullptr}, result = nullptr;
    Argument<void *> address;
    Argument<size_t> bytes;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    if (count != 2 || !address.take(env, values[0]) || !bytes.take(env, values[1])) {
        napi_throw_type_error(env, nullptr, "an address and a size are wanted");
        return nullptr;
    }
    if (napi_create_external_arraybuffer(env, address.get(), bytes.get(), nullptr, nullptr, &result) != napi_ok)
        napi_throw_error(env, nullptr, "this runtime has no ArrayBuffers over foreign memory");
    return result;
}

// detach(buffer): the memory of an ArrayBuffer is about to go.
napi_value detach(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value = nullptr;
    napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
    napi_detach_arraybuffer(env, value);
    return nullptr;
}

// symbol(library or null, name): the address of a native function that the library may call, or 0.
napi_value symbol(napi_env env, napi_callback_info info) {
    size_t count = 2;
    napi_value values[2] = {nullptr, nullptr}, result = nullptr;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    Argument<const char *> path, name;
    if (count != 2 || !path.take(env, values[0]) || !name.take(env, values[1]) || !name.get()) {
        napi_throw_type_error(env, nullptr, "a library and a name are wanted");
        return nullptr;
    }
    void *library = dlopen(path.get(), RTLD_NOW);
    void *found = library ? dlsym(library, name.get()) : nullptr;
    napi_create_bigint_uint64(env, reinterpret_cast<uint64_t>(found), &result);
    return result;
}

// invoke(address, a, b, c): calls a native function that takes up to three integers or addresses.
napi_value invoke(napi_env env, napi_callback_info info) {
    size_t count = 4;
    napi_value values[4] = {nullptr, nullptr, nullptr, nullptr}, result = nullptr;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    void *parts[4] = {nullptr, nullptr, nullptr, nullptr};
    bool all = true;
    for (size_t i = 0; i < count && i < 4; ++i) all = all && take_address(env, values[i], &parts[i]);
    if (!all || !parts[0]) {
        napi_throw_type_error(env, nullptr, "the address of a function, and addresses for it, are wanted");
        return nullptr;
    }
    const auto function = reinterpret_cast<uint64_t (*)(void *, void *, void *)>(parts[0]);
    const uint64_t returned = function(parts[1], parts[2], parts[3]);
    napi_create_bigint_uint64(env, returned, &result);
    return result;
}

void add(napi_env env, napi_value exports, const char *name, napi_callback call, void *data) {
    napi_value function = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, call, data, &function);
    napi_set_named_property(env, exports, name, function);
}

napi_value start(napi_env env, napi_value exports) {
    napi_value names = nullptr, name = nullptr;
    napi_create_array_with_length(env, entry_count, &names);
    for (size_t i = 0; i < entry_count; ++i) {
        add(env, exports, entries[i].name, entries[i].call, &entries[i]);
        napi_create_string_utf8(env, entries[i].name, NAPI_AUTO_LENGTH, &name);
        napi_set_element(env, names, static_cast<uint32_t>(i), name);
    }
    napi_set_named_property(env, exports, "names", names);
    add(env, exports, "load", load_library, nullptr);
    add(env, exports, "addressOf", address_of, nullptr);
    add(env, exports, "memory", memory, nullptr);
    add(env, exports, "detach", detach, nullptr);
    add(env, exports, "symbol", symbol, nullptr);
    add(env, exports, "invoke", invoke, nullptr);
    add_hot(env, exports);
    add(env, exports, "watch", watch, nullptr);
    add(env, exports, "hold", hold, nullptr);
    add(env, exports, "unwatch", unwatch, nullptr);
    add(env, exports, "onReport", on_report, nullptr);
    add(env, exports, "takeReports", take_reports, nullptr);
    return exports;
}

} // namespace
} // namespace gs_node

NAPI_MODULE_INIT() { return gs_node::start(env, exports); }
