// SPDX-License-Identifier: Apache-2.0
// Driver functions for tests that play another library in the process: the driver the library itself uses, real or fake.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace gs::test {

// Ends the process if the driver or the symbol is missing: the library found both before.
template <typename Function>
Function driver_symbol(const char *name) {
    const char *path = std::getenv("GPUSTREAM_LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        std::fprintf(stderr, "driver_symbol(%s): %s\n", name, dlerror());
        std::abort();
    }
    return reinterpret_cast<Function>(found);
}

} // namespace gs::test
