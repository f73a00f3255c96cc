// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_module.hpp"

#include <cstdio>
#include <cstring>
#include <new>

#include "backend/host/image_file.hpp"
#include "base/dynlib.hpp"
#include "base/last_error.hpp"
#include "base/object_file.hpp"

namespace gs::host {
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
        GS_TRY(open_object(static_cast<const char *>(image), &library));
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
    if (!symbol) return fail(GS_ERROR_INVALID_ARGUMENT, "the module has no kernel '%s'", name);
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
