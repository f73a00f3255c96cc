// SPDX-License-Identifier: Apache-2.0
#include "base/shared_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/own_file.hpp"

namespace gs {
namespace {

constexpr char kSharedNamePrefix[] = "gpustream-";
constexpr size_t kPathSize = 400;
constexpr const char *kOtherFolder = "GPUSTREAM_SHM_DIR names another folder, the same in all processes";
static_assert(kPathSize > kLongestSharedDirectory + kSharedNameSize);

void path_of(const SharedFile &file, char (&out)[kPathSize]) noexcept {
    char name[kSharedNameSize];
    shared_file_name(file.creator, file.nonce, name);
    std::snprintf(out, sizeof out, "%s/%s", file.directory, name);
}

Status file_failure(const SharedFile &file, const char *function, int error, const char *path) noexcept {
    if (error == ENOMEM && std::strcmp(function, "mmap") == 0)
        return fail(
            GS_ERROR_OUT_OF_MEMORY,
            "no mapping for %s '%s' (%zu bytes): the process has reached vm.max_map_count or the limit of its address "
            "space",
            file.purpose, path, file.bytes);
    if (error == ENOSPC || error == ENOMEM || error == EDQUOT)
        return fail(GS_ERROR_OUT_OF_MEMORY, "no room for %s in '%s' (%s): %s: error %d", file.purpose, path,
                    kOtherFolder, function, error);
    return fail_system(function, error, "%s '%s' (%s)", file.purpose, path, kOtherFolder);
}

void *map_file(int fd, size_t bytes) noexcept {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// Only a file that this library made may be mapped.
bool acceptable(const struct stat &status, size_t bytes) noexcept {
    return (status.st_mode & 0777) == 0600 && status.st_size == static_cast<off_t>(bytes);
}

Status not_ours(const SharedFile &file, const char *path) noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "%s: '%s' is not a file of this user's gpustream", file.purpose, path);
}

} // namespace

void shared_file_name(const ProcessIdentity &creator, uint64_t nonce, char (&out)[kSharedNameSize]) noexcept {
    std::snprintf(out, sizeof out, "%s%016" PRIx64 "-%016" PRIx64, kSharedNamePrefix, creator.life, nonce);
}

bool parse_shared_file_name(const char *name, uint64_t *out_life, bool *out_is_life) noexcept {
    constexpr size_t kPrefix = sizeof kSharedNamePrefix - 1, kDigits = 16;
    const size_t length = std::strlen(name);
    *out_is_life = length == kPrefix + kDigits;
    if (!*out_is_life && length != kPrefix + 2 * kDigits + 1) return false;
    uint64_t life = 0, nonce = 0;
    if (std::sscanf(name + kPrefix, "%16" SCNx64 "-%16" SCNx64, &life, &nonce) < 1) return false;
    // Written again it must be the same: the form above accepts blanks and signs.
    char again[kSharedNameSize];
    shared_file_name({life, 0, 0, 0}, nonce, again);
    *out_life = life;
    return std::strncmp(name, again, length) == 0;
}

Status create_shared_file(const SharedFile &file, void **out_memory) noexcept {
    char path[kPathSize];
    path_of(file, path);
    const char *problem = nullptr;
    const int fd = open_own_file(path, O_RDWR | O_CREAT | O_EXCL, &problem);
    if (fd < 0) return file_failure(file, "open", errno, path);
    const char *function = "fchmod";               // the umask may have taken away what open() asked for
    int error = fchmod(fd, 0600) == 0 ? 0 : errno; // one-sided: the file is ours and new
    if (error == 0) {                              // one-sided: the file is ours and new
        function = "posix_fallocate";              // writing to a page that the file system cannot back would be SIGBUS
        error = posix_fallocate(fd, 0, static_cast<off_t>(file.bytes));
    }
    void *memory = nullptr;
    if (error == 0) {
        function = "mmap";
        memory = map_file(fd, file.bytes);
        error = memory ? 0 : errno;
    }
    close(fd);
    if (error != 0) {
        unlink(path);
        return file_failure(file, function, error, path);
    }
    *out_memory = memory;
    return kOk;
}

Status open_shared_file(const SharedFile &file, void **out_memory) noexcept {
    char path[kPathSize];
    path_of(file, path);
    const char *problem = nullptr;
    const int fd = open_own_file(path, O_RDWR, &problem);
    if (fd < 0) {
        if (errno == ENOENT) return fail(GS_ERROR_PEER_LOST, "%s: there is no '%s' any more", file.purpose, path);
        if (errno == ELOOP || errno == EACCES) return not_ours(file, path);
        return file_failure(file, "open", errno, path);
    }
    struct stat status;
    if (fstat(fd, &status) != 0 || !acceptable(status, file.bytes)) {
        close(fd);
        return not_ours(file, path);
    }
    void *memory = map_file(fd, file.bytes);
    const int error = errno;
    close(fd);
    if (!memory) return file_failure(file, "mmap", error, path);
    *out_memory = memory;
    return kOk;
}

void unmap_shared_file(const SharedFile &file, void *memory) noexcept { munmap(memory, file.bytes); }

void unlink_shared_file(const SharedFile &file) noexcept {
    char path[kPathSize];
    path_of(file, path);
    unlink(path); // may be gone: someone cleaned the directory
}

namespace {

// Of one step: other processes' completions wait for its end.
constexpr int kSweepEntries = 256;
constexpr int kLooks = 16; // at a process, which costs microseconds
constexpr int kSweepSteps = 16;

std::atomic<bool> g_swept{false};

// Only a file that this user's library made: a name that fits proves nothing.
bool removable(int directory, const char *name) noexcept {
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 0777) == 0600;
}

// Under the lock that a process which has just made the file waits for: it then sees that its file is gone.
void remove_life(int directory, const char *name) noexcept {
    const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) unlinkat(directory, name, 0);
    close(fd);
}

void sweep_some(const char *directory) noexcept {
    SharedSweep sweep;
    sweep.begin(directory);
    for (int i = 0; i < kSweepSteps && sweep.step(); ++i) {}
    sweep.end();
}

} // namespace

void SharedSweep::begin(const char *directory) noexcept {
    end();
    entries_ = opendir(directory); // creating or opening a file there says why it fails
}

bool SharedSweep::step() noexcept {
    int looks = 0;
    for (int i = 0; entries_ && i < kSweepEntries && looks < kLooks; ++i) {
        const dirent *entry = readdir(entries_);
        if (!entry) {
            end();
            break;
        }
        uint64_t life = 0;
        bool is_life = false;
        if (!parse_shared_file_name(entry->d_name, &life, &is_life) || !removable(dirfd(entries_), entry->d_name))
            continue;
        ++looks;
        if (is_life)
            remove_life(dirfd(entries_), entry->d_name);
        else if (life_has_ended(life))
            unlinkat(dirfd(entries_), entry->d_name, 0);
    }
    return entries_ != nullptr;
}

void SharedSweep::end() noexcept {
    if (entries_) closedir(entries_);
    entries_ = nullptr;
}

void sweep_shared_once(const char *directory) noexcept {
    if (!g_swept.exchange(true, std::memory_order_relaxed)) sweep_some(directory);
}

Status create_shared_file_swept(const SharedFile &file, void **out_memory) noexcept {
    const Status status = create_shared_file(file, out_memory);
    if (status.code != GS_ERROR_OUT_OF_MEMORY) return status;
    sweep_some(file.directory);
    return create_shared_file(file, out_memory);
}

} // namespace gs
