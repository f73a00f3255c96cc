// SPDX-License-Identifier: Apache-2.0
// The only user of <dlfcn.h>. Libraries opened here are never closed, except by close_library, which is for kernels'
// shared objects that the user asked to unload.
#pragma once

#include "base/status.hpp"

namespace gs {

// RTLD_NOW | RTLD_LOCAL. On failure *out is nullptr and the loader's own text is in the pending record: UNAVAILABLE
// (reason NO_LIBRARY), or SYSTEM or OUT_OF_MEMORY where the process lacks what loading it takes.
Status open_library(const char *path, void **out) noexcept;
// nullptr unless somebody in this process has loaded the library already.
void *loaded_library(const char *path) noexcept;
void *find_symbol(void *library, const char *name) noexcept; // nullptr when absent
// Whether the address that find_symbol returned is a variable. False where the loader cannot tell.
bool is_data(const void *symbol) noexcept;
void close_library(void *library) noexcept;

} // namespace gs
