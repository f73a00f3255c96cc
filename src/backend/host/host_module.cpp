// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_module.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/dynlib.hpp"

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

namespace {

constexpr size_t kValueAlignment = alignof(max_align_t);
constexpr size_t kMaxArgumentBytes = 1 << 20;

// The loader's message concerns the caller's image. The environment is in order.
Status open_object(const char *path, void **out) noexcept {
    const Status opened = open_library(path, out);
    if (opened.ok() || opened.code != GS_ERROR_UNAVAILABLE) return opened;
    char reason[512];
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    return fail(GS_ERROR_INVALID_ARGUMENT, "%s", reason);
}

Status measure(const char *name, const size_t *sizes, Kernel *kernel) noexcept {
    kernel->sizes = sizes;
    kernel->arguments = 0;
    kernel->value_bytes = 0;
    if (!sizes) return kOk;
    for (; sizes[kernel->arguments] != 0; ++kernel->arguments) {
        const size_t size = sizes[kernel->arguments];
        if (size > kMaxArgumentBytes || kernel->value_bytes > kMaxArgumentBytes)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "the sizes in '%s_argument_sizes' are out of range: argument %zu has %zu bytes", name,
                        kernel->arguments, size);
        kernel->value_bytes += (size + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
    }
    return kOk;
}

} // namespace

Status load_module(const void *image, size_t bytes, Module **out) noexcept {
    void *library = nullptr;
    if (bytes == 0) {
        // To the loader, "" is the program itself.
        const auto *path = static_cast<const char *>(image);
        if (*path == '\0') return fail(GS_ERROR_INVALID_ARGUMENT, "the module's path is empty");
        GS_TRY(open_object(path, &library));
    } else {
        GS_TRY(check_object_in_memory(image, bytes));
        ImageFile file;
        GS_TRY(file.write(image, bytes));
        GS_TRY(open_object(file.path(), &library));
    }
    auto *module = new (std::nothrow) Module;
    if (!module) {
        close_library(library);
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a module");
    }
    module->library = library;
    *out = module;
    return kOk;
}

void release_module(Module &module) noexcept {
    if (!module.refs.release()) return;
    Kernel *kernel;
    {
        MutexLock lock(module.mutex);
        kernel = module.kernels;
    }
    while (kernel) {
        Kernel *next = kernel->next;
        delete kernel;
        kernel = next;
    }
    close_library(module.library);
    delete &module;
}

Status find_kernel(Module &module, const char *name, Kernel **out) noexcept {
    void *symbol = find_symbol(module.library, name);
    if (!symbol || !lies_in(module.library, symbol)) // the C library has functions of usual names
        return fail(GS_ERROR_INVALID_ARGUMENT, "the module has no kernel '%s'", name);
    if (is_data(symbol)) return fail(GS_ERROR_INVALID_ARGUMENT, "'%s' is data of the module, not a kernel", name);
    decltype(Kernel::entry) entry;
    static_assert(sizeof entry == sizeof symbol);
    std::memcpy(&entry, &symbol, sizeof entry);
    char sizes_name[512];
    if (std::snprintf(sizes_name, sizeof sizes_name, "%s_argument_sizes", name) >= static_cast<int>(sizeof sizes_name))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the kernel's name is too long: '%.64s...'", name);

    MutexLock lock(module.mutex);
    for (Kernel *known = module.kernels; known; known = known->next) {
        if (known->entry != entry) continue;
        *out = known;
        return kOk;
    }
    Kernel made{&module, entry, nullptr, 0, 0, module.kernels};
    GS_TRY(measure(name, static_cast<const size_t *>(find_symbol(module.library, sizes_name)), &made));
    auto *kernel = new (std::nothrow) Kernel(made);
    if (!kernel) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for kernel '%s'", name);
    module.kernels = kernel;
    *out = kernel;
    return kOk;
}

} // namespace gs::host
