// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/module_loader.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "backend/cuda/driver/driver_errors.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace gs::cuda {
namespace {

// The head of a fat binary as nvcc and fatbinary write it.
struct FatbinHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t payload_bytes;
};
constexpr uint32_t kFatbinMagic = 0xBA55ED50u;

class File {
public:
    explicit File(const char *path) noexcept : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

Status allocate(size_t size, Image *out) noexcept {
    out->bytes.reset(size < SIZE_MAX ? new (std::nothrow) unsigned char[size + 1] : nullptr);
    if (!out->bytes) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a module image of %zu bytes", size);
    out->bytes[size] = 0;
    out->size = size;
    return kOk;
}

Status read_whole(const char *path, Image *out) noexcept {
    const File file(path);
    if (file.descriptor() < 0) {
        const int error = errno; // as on the host backend: the caller's argument is wrong
        char reason[128];
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_DEFAULT, error, "open"},
                           "cannot open the module '%s': %s", path, system_error_text(error, reason));
    }
    struct stat facts{};
    if (fstat(file.descriptor(), &facts) != 0) return fail_system("fstat", errno, "cannot read the module '%s'", path);
    if (!S_ISREG(facts.st_mode)) return fail(GS_ERROR_INVALID_ARGUMENT, "the module '%s' is not a regular file", path);
    GS_TRY(allocate(static_cast<size_t>(facts.st_size), out));
    size_t done = 0;
    while (done < out->size) {
        const ssize_t got = read(file.descriptor(), out->bytes.get() + done, out->size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_system("read", errno, "cannot read the module '%s'", path);
        if (got == 0) break; // it shrank while it was read
        done += static_cast<size_t>(got);
    }
    out->size = done;
    out->bytes[done] = 0;
    return kOk;
}

// Does the table of count entries at offset lie within size bytes?
bool fits(uint64_t offset, uint64_t count, uint64_t entry, size_t size) noexcept {
    return offset <= size && (entry == 0 || count <= (size - offset) / entry);
}

Status check_elf(const unsigned char *image, size_t size) noexcept {
    Elf64_Ehdr header;
    if (size < sizeof header)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the module image is cut: %zu bytes hold no ELF header", size);
    std::memcpy(&header, image, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the module image is not a 64-bit ELF file");
    if (!fits(header.e_phoff, header.e_phnum, header.e_phentsize, size) ||
        !fits(header.e_shoff, header.e_shnum, header.e_shentsize, size) ||
        (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr)))
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "the module image is cut or damaged: its tables lie beyond its %zu bytes", size);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        std::memcpy(&section, image + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && !fits(section.sh_offset, section.sh_size, 1, size))
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "the module image is cut or damaged: section %u lies beyond its %zu bytes", i, size);
    }
    return kOk;
}

} // namespace

Status check_image(const unsigned char *image, size_t size) noexcept {
    if (size == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "the module image is empty");
    if (size >= SELFMAG && std::memcmp(image, ELFMAG, SELFMAG) == 0) return check_elf(image, size);
    FatbinHeader fatbin;
    uint32_t magic = 0;
    std::memcpy(&magic, image, std::min(size, sizeof magic));
    if (magic != kFatbinMagic) return kOk; // PTX: a text, and the copy ends it
    if (size < sizeof fatbin)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the module image is cut: %zu bytes hold no fat binary header", size);
    std::memcpy(&fatbin, image, sizeof fatbin);
    if (!fits(fatbin.header_bytes, fatbin.payload_bytes, 1, size))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the module image is cut: its header promises %llu bytes, there are %zu",
                    static_cast<unsigned long long>(fatbin.header_bytes + fatbin.payload_bytes), size);
    return kOk;
}

Status load_image(const void *image, size_t bytes, Image *out) noexcept {
    if (bytes == 0) {
        GS_TRY(read_whole(static_cast<const char *>(image), out));
    } else {
        GS_TRY(allocate(bytes, out));
        std::memcpy(out->bytes.get(), image, bytes);
    }
    return check_image(out->bytes.get(), out->size);
}

namespace {

// The image is the caller's argument: if it is rejected, the driver has not failed.
gs_status_t image_status(CUresult result) noexcept {
    switch (static_cast<int>(result)) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: return GS_ERROR_INVALID_ARGUMENT;
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case 227: // CUDA_ERROR_INSUFFICIENT_LOADER_VERSION, newer than the oldest headers we build with
        return GS_ERROR_NOT_SUPPORTED;
    default: return GS_OK; // not about the image
    }
}

} // namespace

Status load_module(ThreadBlock &thread, Device &device, const void *image, CUmodule *out) noexcept {
    char log[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    FailedCall call{g_driver.module_load_data_ex.name, GS_ERROR_INVALID_ARGUMENT};
    CUmodule module = nullptr;
    const CUresult result = in_relaxed_mode(thread, &call, [&] {
        return g_driver.module_load_data_ex(thread, &module, image, static_cast<unsigned>(std::size(options)), options,
                                            values);
    });
    if (result == CUDA_SUCCESS) {
        *out = module;
        return kOk;
    }
    // A failure to change the capture mode says nothing about the image.
    const gs_status_t status = call.function == g_driver.module_load_data_ex.name ? image_status(result) : GS_OK;
    if (status == GS_OK) return map_error(result, call, device);
    log[sizeof log - 1] = '\0';
    for (size_t end = std::strlen(log); end > 0 && (log[end - 1] == '\n' || log[end - 1] == ' '); --end)
        log[end - 1] = '\0';
    return fail_native(status, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                       "the module cannot be loaded on device %d: %s (%d)%s%s", device.ordinal, error_text(result),
                       static_cast<int>(result), log[0] != '\0' ? ": " : "", log);
}

Status own_kernel(ThreadBlock &thread, Device &device, std::atomic<CUfunction> &slot, const char *ptx, const char *name,
                  CUfunction *out) noexcept {
    if (CUfunction known = slot.load(std::memory_order_acquire)) {
        *out = known;
        return kOk;
    }
    CUmodule module = nullptr;
    GS_TRY(load_module(thread, device, ptx, &module));
    CUfunction function = nullptr;
    FailedCall call{g_driver.module_get_function.name};
    CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.module_get_function(thread, &function, module, name); });
    CUfunction first = nullptr;
    const bool ours =
        result == CUDA_SUCCESS && slot.compare_exchange_strong(first, function, std::memory_order_acq_rel);
    if (ours) {
        *out = function;
        return kOk;
    }
    // It failed, or another thread was first: this copy has no use.
    FailedCall unload{g_driver.module_unload.name};
    (void)in_relaxed_mode(thread, &unload, [&] { return g_driver.module_unload(thread, module); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = first;
    return kOk;
}

Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept {
    int parts[2] = {};
    constexpr CUdevice_attribute kParts[] = {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
    for (int i = 0; i < 2; ++i) {
        const CUresult result = g_driver.device_get_attribute(thread, &parts[i], kParts[i], device);
        if (result != CUDA_SUCCESS) return fail_start(result, g_driver.device_get_attribute.name);
    }
    if (10 * parts[0] + parts[1] < kEmbeddedArch)
        log_message(GS_LOG_WARNING,
                    "CUDA device %d has compute capability %d.%d; the kernels of gpustream need %d.%d or later: "
                    "gs_stream_sleep() will fail on it",
                    ordinal, parts[0], parts[1], kEmbeddedArch / 10, kEmbeddedArch % 10);
    return kOk;
}

// Always the same value: two threads that launch the same kernel with different sizes would lower each other's limit.
Status raise_shared_memory_limit(ThreadBlock &thread, Device &device, CUfunction function) noexcept {
    if (!g_driver.func_set_attribute.present()) return fail_absent(g_driver.func_set_attribute.name);
    int most = 0;
    GS_TRY(driver_call(thread, device, g_driver.device_get_attribute, &most,
                       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.handle));
    int fixed = 0;
    GS_TRY(driver_call(thread, device, g_driver.func_get_attribute, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                       function));
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.func_set_attribute, function,
                                                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - fixed);
}

} // namespace gs::cuda
