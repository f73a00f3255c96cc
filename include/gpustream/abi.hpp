// SPDX-License-Identifier: Apache-2.0
// Whether the loaded library is one that the header describes.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <type_traits>

#include "enums.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A status of this layer (C's are not negative): the loaded library has another ABI version than the header. Functions
/// that make an owner or a capture fail with it, and so do those that find or ask a device, or ask the library as a
/// whole. They call nothing but gs_abi_version() before. Calls with a handle do not check: record, wait and query are
/// C's instructions.
inline constexpr status wrong_abi = static_cast<status>(-1);

/// Whether the loaded library may be used by a program compiled with this header.
inline bool abi_fits() noexcept { return gs_abi_version() == GS_ABI_VERSION; }

namespace detail {

#if defined(__GNUC__)
// Weak: before glibc 2.34 they are in libdl, which the library brings along, but which the program may not name.
static decltype(::dlsym) find_symbol __attribute__((weakref("dlsym")));
static decltype(::dladdr) find_file __attribute__((weakref("dladdr")));
#endif

/// The file of the loaded library, or the library's name if the loader does not say.
inline std::string_view library_file() noexcept {
#if defined(__GNUC__)
    if (find_symbol != nullptr && find_file != nullptr) {
        Dl_info found{};
        // Not &gs_abi_version, which may be a stub of the linker in the program itself.
        const void *const address = find_symbol(RTLD_DEFAULT, "gs_abi_version");
        if (address != nullptr && find_file(address, &found) != 0 && found.dli_fname != nullptr) return found.dli_fname;
    }
#endif
    return "libgpustream";
}

/// "FILE: its ABI version is 2, wanted is 1"; of a file that is too long, the end.
inline void describe_abi(char *text, size_t capacity, std::string_view file, uint32_t found) noexcept {
    char versions[64];
    const int length = std::snprintf(versions, sizeof versions, ": its ABI version is %u, wanted is %u", found,
                                     unsigned{GS_ABI_VERSION});
    const size_t room = capacity - 1 - static_cast<size_t>(length);
    const bool cut = file.size() > room;
    if (cut) file.remove_prefix(file.size() - (room - 3));
    std::snprintf(text, capacity, "%s%.*s%s", cut ? "..." : "", static_cast<int>(file.size()), file.data(), versions);
}

// Of each program or shared object by itself: another one may have found another library.
GPUSTREAM_HIDDEN inline std::atomic<bool> abi_is_known{false};

GPUSTREAM_HIDDEN GPUSTREAM_COLD inline gs_status_t look_at_abi() noexcept {
    if (!abi_fits()) return static_cast<gs_status_t>(wrong_abi);
    abi_is_known.store(true, std::memory_order_relaxed);
    return GS_OK;
}

/// GS_OK or wrong_abi.
inline gs_status_t abi_status() noexcept {
    return GPUSTREAM_UNLIKELY(!abi_is_known.load(std::memory_order_relaxed)) ? look_at_abi() : GS_OK;
}

/// Calls a function of C that may be the program's first call, unless the library has another ABI.
template <typename... Parameters>
gs_status_t with_abi(gs_status_t (*function)(Parameters...), std::common_type_t<Parameters>... arguments) {
    const gs_status_t status = abi_status();
    return GPUSTREAM_UNLIKELY(status != GS_OK) ? status : function(arguments...);
}

} // namespace detail
GPUSTREAM_END_NAMESPACE
