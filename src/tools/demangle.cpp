// SPDX-License-Identifier: Apache-2.0
#include "tools/demangle.hpp"

#include <cstdlib>
#include <cstring>

#include "base/dynlib.hpp"

namespace gs {
namespace {

using Demangler = char *(*)(const char *symbol, char *buffer, size_t *bytes, int *out_status); // the C++ ABI's

// What languages load for an extension of theirs alone is found by the library's name only.
constexpr const char *kLibraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};

// Empty without a demangler in the process, and for symbols of other languages.
std::string demangle_with(void *demangler, const char *symbol) {
    if (!demangler) return {};
    int status = 0;
    char *text = reinterpret_cast<Demangler>(demangler)(symbol, nullptr, nullptr, &status);
    std::string name = text && status == 0 ? text : "";
    std::free(text);
    return name;
}

} // namespace

std::string demangle(const char *symbol) {
    constexpr const char *kName = "__cxa_demangle";
    if (std::strncmp(symbol, "_Z", 2) != 0) return symbol; // without it, "f" is a type: float
    std::string name = demangle_with(find_symbol_anywhere(kName), symbol);
    for (const char *path : kLibraries) {
        if (!name.empty()) break;
        void *library = loaded_library(path);
        if (!library) continue;
        name = demangle_with(find_symbol(library, kName), symbol);
        close_library(library); // it was loaded before
    }
    return name.empty() ? symbol : name;
}

} // namespace gs
