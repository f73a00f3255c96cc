// SPDX-License-Identifier: Apache-2.0
// System calls that older C libraries have no function for: released libraries load with glibc 2.17, which is older
// than these two calls. A kernel that lacks them fails them: -1 with errno ENOSYS.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

namespace gs {

inline int memfd_create_call(const char *name, unsigned flags) noexcept {
    return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

inline ssize_t getrandom_call(void *buffer, size_t bytes, unsigned flags) noexcept {
    return static_cast<ssize_t>(syscall(SYS_getrandom, buffer, bytes, flags));
}

} // namespace gs
