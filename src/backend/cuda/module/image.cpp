// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

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

} // namespace gs::cuda
