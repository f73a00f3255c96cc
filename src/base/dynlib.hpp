// SPDX-License-Identifier: Apache-2.0
// The only user of <dlfcn.h>. Libraries opened here are never closed, except by close_library, which is for kernels'
// shared objects that the user asked to unload.
#pragma once

#include "base/status.hpp"

namespace gs {

// RTLD_NOW | RTLD_LOCAL. On failure *out is nullptr and the loader's own text is in the pending record (code
// UNAVAILABLE, reason NO_LIBRARY).
Status open_library(const char *path, void **out) noexcept;
// nullptr unless somebody in this process has loaded the library already.
void *loaded_library(const char *path) noexcept;
void *find_symbol(void *library, const char *name) noexcept; // nullptr when absent
void close_library(void *library) noexcept;

} // namespace gs
