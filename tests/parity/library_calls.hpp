// SPDX-License-Identifier: Apache-2.0
// The functions of the header by name; scripts/generator/emit_parity.py writes the table.
#pragma once

#include <map>
#include <string>

#include "call.hpp"

namespace parity {

// A language's layer, as a library whose functions layer_gs_... stand for those of C, or null.
inline void *layer = nullptr;

template <typename F>
F *symbol(void *library, const std::string &name) {
    void *address = layer ? dlsym(layer, ("layer_" + name).c_str()) : nullptr;
    if (!address) address = dlsym(library, name.c_str());
    if (!address) throw Failure("the library has no " + name);
    return reinterpret_cast<F *>(address);
}

template <typename F, typename... Arrays>
Result call_plain(void *library, const std::string &name, Arguments &arguments) {
    return call<Arrays...>(symbol<F>(library, name), arguments);
}

template <typename F, typename... Arrays>
Result call_status(void *library, const std::string &name, Arguments &arguments) {
    Result result = call<Arrays...>(symbol<F>(library, name), arguments);
    result.has_status = true;
    result.status = static_cast<gs_status_t>(result.returned.bits);
    return result;
}

using LibraryCall = Result (*)(void *library, const std::string &name, Arguments &arguments);
const std::map<std::string, LibraryCall> &library_calls();

} // namespace parity
