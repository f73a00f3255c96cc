// SPDX-License-Identifier: Apache-2.0
#include "base/dynlib.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gs {
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

// The loader refuses a file that is no object for this machine, and says why.
bool foreign(const Header &header) noexcept {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Segment);
}

// *out_end: how far the object reaches in memory.
Status check(const Source &source, const char *name, uint64_t *out_end) noexcept {
    Header header;
    *out_end = 0;
    if (!source.read(0, &header, sizeof header))
        return fail(GS_ERROR_INVALID_ARGUMENT, "%s: %llu bytes: file too short for a shared object", name,
                    static_cast<unsigned long long>(source.size()));
    if (foreign(header)) return kOk;
    for (uint32_t i = 0; i < header.e_phnum; ++i) {
        Segment segment;
        if (!source.read(header.e_phoff + uint64_t{i} * sizeof segment, &segment, sizeof segment) ||
            (segment.p_type == PT_LOAD && !source.within(segment.p_offset, segment.p_filesz)))
            return fail(GS_ERROR_INVALID_ARGUMENT, "%s: the shared object is cut off: it is longer than its %llu bytes",
                        name, static_cast<unsigned long long>(source.size()));
        if (segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > *out_end)
            *out_end = segment.p_vaddr + segment.p_memsz;
    }
    return kOk;
}

class File {
public:
    explicit File(const char *path) noexcept : fd_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~File() {
        if (fd_ >= 0) close(fd_);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    bool is_open() const noexcept { return fd_ >= 0; }
    Status check(const char *path, uint64_t *out_end) const noexcept {
        *out_end = 0;
        struct stat status;
        if (fstat(fd_, &status) != 0) return kOk;
        if (!S_ISREG(status.st_mode)) return fail(GS_ERROR_INVALID_ARGUMENT, "%s: not a regular file", path);
        return gs::check(Source(fd_, static_cast<uint64_t>(status.st_size)), path, out_end);
    }

private:
    int fd_;
};

// The loader looks for a name without a slash only in its own folders.
bool searched(const char *path) noexcept { return !std::strchr(path, '/'); }

// Reserves as much address space as the object takes: the loader does so too.
bool has_room(uint64_t bytes) noexcept {
    void *room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return errno != ENOMEM;
    munmap(room, bytes);
    return true;
}

} // namespace

Status check_object_in_memory(const void *image, size_t bytes) noexcept {
    uint64_t end = 0;
    return check(Source(image, bytes), "image", &end);
}

Status check_object_file(const char *path) noexcept {
    if (searched(path)) return kOk;
    const File file(path);
    uint64_t end = 0;
    return file.is_open() ? file.check(path, &end) : kOk;
}

bool may_be_object_file(const char *path) noexcept {
    struct stat status;
    return searched(path) || stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

Status check_resources_for(const char *path) noexcept {
    const File file(searched(path) ? "/" : path);
    if (!file.is_open())
        return errno == EMFILE || errno == ENFILE ? fail_system("open", errno, "cannot load '%s'", path) : kOk;
    uint64_t end = 0;
    if (searched(path) || !file.check(path, &end).ok() || end == 0 || has_room(end)) return kOk;
    return fail(GS_ERROR_OUT_OF_MEMORY, "no room in the address space to load '%s' (%llu bytes)", path,
                static_cast<unsigned long long>(end));
}

} // namespace gs
