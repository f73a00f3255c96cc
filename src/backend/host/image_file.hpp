// SPDX-License-Identifier: Apache-2.0
// A shared object in memory, given a path that the loader can open. It disappears with this object, loaded or not.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/status.hpp"

namespace gs::host {

class ImageFile {
public:
    ImageFile() noexcept = default;
    ~ImageFile() noexcept;
    ImageFile(const ImageFile &) = delete;
    ImageFile &operator=(const ImageFile &) = delete;

    Status write(const void *image, size_t bytes) noexcept;
    const char *path() const noexcept { return path_; }

private:
    Status create() noexcept;

    int fd_ = -1;
    bool unlink_ = false;
    char path_[256] = {};
};

#if defined(GPUSTREAM_TESTING)
// Test builds only: write() behaves as on a system without memfd_create.
inline constinit std::atomic<bool> g_without_memfd{false};
inline bool without_memfd() noexcept { return g_without_memfd.load(std::memory_order_relaxed); }
#else
constexpr bool without_memfd() noexcept { return false; }
#endif

} // namespace gs::host
