// SPDX-License-Identifier: Apache-2.0
#include "backend/host/object_check.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace gs::host {
namespace {

#if UINTPTR_MAX == UINT64_MAX
using Header = Elf64_Ehdr;
using Segment = Elf64_Phdr;
#else
using Header = Elf32_Ehdr;
using Segment = Elf32_Phdr;
#endif

class Source {
public:
    Source(const void *image, size_t bytes) noexcept : memory_(static_cast<const char *>(image)), size_(bytes) {}
    Source(int fd, uint64_t size) noexcept : fd_(fd), size_(size) {}

    bool within(uint64_t offset, uint64_t bytes) const noexcept { return offset <= size_ && bytes <= size_ - offset; }
    bool read(uint64_t offset, void *out, size_t bytes) const noexcept {
        if (!within(offset, bytes)) return false;
        if (!memory_) return pread(fd_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
        std::memcpy(out, memory_ + offset, bytes);
        return true;
    }
    uint64_t size() const noexcept { return size_; }

private:
    const char *memory_ = nullptr;
    int fd_ = -1;
    uint64_t size_ = 0;
};

Status check(const Source &source, const char *name) noexcept {
    Header header;
    if (!source.read(0, &header, sizeof header))
        return fail(GS_ERROR_INVALID_ARGUMENT, "%s: %llu bytes: file too short for a shared object", name,
                    static_cast<unsigned long long>(source.size()));
    // What is no object of this machine the loader refuses by itself, and says why.
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Segment)) return kOk;
    for (uint32_t i = 0; i < header.e_phnum; ++i) {
        Segment segment;
        if (!source.read(header.e_phoff + uint64_t{i} * sizeof segment, &segment, sizeof segment) ||
            (segment.p_type == PT_LOAD && !source.within(segment.p_offset, segment.p_filesz)))
            return fail(GS_ERROR_INVALID_ARGUMENT, "%s: the shared object is cut off: it is longer than its %llu bytes",
                        name, static_cast<unsigned long long>(source.size()));
    }
    return kOk;
}

} // namespace

Status check_object_in_memory(const void *image, size_t bytes) noexcept { return check(Source(image, bytes), "image"); }

Status check_object_file(const char *path) noexcept {
    if (!std::strchr(path, '/')) return kOk; // the loader searches its folders, not the current one
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return kOk;
    struct stat status;
    Status result = kOk;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        result = check(Source(fd, static_cast<uint64_t>(status.st_size)), path);
    close(fd);
    return result;
}

} // namespace gs::host
