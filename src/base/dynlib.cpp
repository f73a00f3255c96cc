// SPDX-License-Identifier: Apache-2.0
#include "base/dynlib.hpp"

#include <dlfcn.h>

namespace gs {

Status open_library(const char *path, void **out) noexcept {
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out) return kOk;
    const char *reason = dlerror();
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT, "cannot load '%s': %s", path,
                            reason ? reason : "no reason given by the loader");
}

void *loaded_library(const char *path) noexcept { return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); }

void *find_symbol(void *library, const char *name) noexcept { return dlsym(library, name); }

void close_library(void *library) noexcept { dlclose(library); }

} // namespace gs
