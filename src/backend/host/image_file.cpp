// SPDX-License-Identifier: Apache-2.0
#include "backend/host/image_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gs::host {
namespace {

// The kernel's numbers; not every C library has them.
constexpr unsigned kCloseOnExec = 1;
constexpr unsigned kExecutable = 0x10;

std::atomic<uint32_t> g_counter{0};

// Released libraries load with glibc 2.17, which has no function for this call. A kernel without it: -1 with ENOSYS.
int memfd_create_call(unsigned flags) noexcept {
    return static_cast<int>(syscall(SYS_memfd_create, "gpustream-image", flags));
}

int anonymous_file() noexcept {
    if (without_memfd()) return -1;
    int fd = memfd_create_call(kCloseOnExec | kExecutable);
    if (fd < 0 && errno == EINVAL) fd = memfd_create_call(kCloseOnExec); // before Linux 6.3
    return fd;
}

// The loader treats two objects of the same path as one, and descriptor numbers are reused. So each path is spelled
// differently: each bit of a counter becomes "./" or "/", which leaves its meaning unchanged.
void unique_path(int fd, char *out, size_t size) noexcept {
    int used = std::snprintf(out, size, "/proc/self/fd/");
    for (uint32_t bits = g_counter.fetch_add(1, std::memory_order_relaxed); bits != 0; bits >>= 1)
        used += std::snprintf(out + used, size - static_cast<size_t>(used), "%s", (bits & 1) != 0 ? "./" : "/");
    std::snprintf(out + used, size - static_cast<size_t>(used), "%d", fd);
}

} // namespace

ImageFile::~ImageFile() noexcept {
    if (unlink_) unlink(path_);
    if (fd_ >= 0) close(fd_);
}

Status ImageFile::create() noexcept {
    fd_ = anonymous_file();
    if (fd_ >= 0) {
        unique_path(fd_, path_, sizeof path_);
        return kOk;
    }
    std::snprintf(path_, sizeof path_, "/tmp/gpustream-XXXXXX");
    fd_ = mkostemp(path_, O_CLOEXEC);
    if (fd_ < 0)
        return fail_system("mkostemp", errno,
                           "no place for a kernel image ('%s'): without memfd_create, /tmp must be writable", path_);
    unlink_ = true;
    return kOk;
}

Status ImageFile::write(const void *image, size_t bytes) noexcept {
    GS_TRY(create());
    const char *from = static_cast<const char *>(image);
    size_t left = bytes;
    while (left > 0) {
        const ssize_t written = ::write(fd_, from, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return fail_system("write", written < 0 ? errno : EIO, "writing %zu bytes of an image", bytes);
        from += written;
        left -= static_cast<size_t>(written);
    }
    if (unlink_) {
        // Some file systems refuse to execute from an object that is open for writing.
        close(fd_);
        fd_ = -1;
    }
    return kOk;
}

} // namespace gs::host
