// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

namespace bench {

Library::Library(std::initializer_list<const char *> names) {
    for (const char *name : names) {
        if (!name) continue;
        handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_) return;
    }
}

void *Library::symbol(std::initializer_list<const char *> names) {
    for (const char *name : names)
        if (void *found = dlsym(handle_, name)) return found;
    if (missing_.empty()) missing_ = *names.begin();
    return nullptr;
}

} // namespace bench
