// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/status.hpp"

namespace gs::host {
namespace {

constexpr size_t kPathSize = 400;

void arena_path(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                char (&out)[kPathSize]) noexcept {
    char name[kArenaNameSize];
    arena_name(exporter, nonce, name);
    std::snprintf(out, sizeof out, "%s/%s", directory, name);
}

Result system_failure(const char *function, int error, const char *path) noexcept {
    if (error == ENOSPC || error == ENOMEM || error == EDQUOT) {
        fail(GS_ERROR_OUT_OF_MEMORY, "no room for interprocess events in '%s': %s: error %d", path, function, error)
            .ignore();
        return Result::NoRoom;
    }
    fail_system(function, error, "interprocess events '%s'", path).ignore();
    return Result::System;
}

IpcShared *map(int fd) noexcept {
    void *memory = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<IpcShared *>(memory);
}

// A file of another user, or one that is not ours at all, must not be mapped.
bool acceptable(const struct stat &status) noexcept {
    return S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 0777) == 0600 &&
           status.st_size == static_cast<off_t>(kArenaBytes);
}

} // namespace

Result create_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                         IpcShared **out) noexcept {
    char path[kPathSize];
    arena_path(directory, exporter, nonce, path);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return system_failure("open", errno, path);
    const char *function = "fchmod";               // the umask may have taken away what open() asked for
    int error = fchmod(fd, 0600) == 0 ? 0 : errno; // one-sided: the file is ours and new
    if (error == 0) {                              // one-sided: the file is ours and new
        function = "posix_fallocate";              // writing to a page that the file system cannot back would be SIGBUS
        error = posix_fallocate(fd, 0, static_cast<off_t>(kArenaBytes));
    }
    IpcShared *shared = nullptr;
    if (error == 0) {
        function = "mmap";
        shared = map(fd);
        error = shared ? 0 : errno;
    }
    close(fd);
    if (error != 0) {
        unlink(path);
        return system_failure(function, error, path);
    }
    // All else is zero. Readers get the name only by a handle, which is made after this.
    shared->magic = IpcShared::kMagic;
    shared->version = IpcShared::kVersion;
    shared->nonce = nonce;
    *out = shared;
    return Result::Ok;
}

Result open_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                       IpcShared **out) noexcept {
    char path[kPathSize];
    arena_path(directory, exporter, nonce, path);
    const int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        if (errno == ENOENT) return Result::PeerLost;
        if (errno == ELOOP || errno == EACCES) return Result::NotAHandle;
        return system_failure("open", errno, path);
    }
    struct stat status;
    if (fstat(fd, &status) != 0 || !acceptable(status)) {
        close(fd);
        return Result::NotAHandle;
    }
    IpcShared *shared = map(fd);
    const int error = errno;
    close(fd);
    if (!shared) return system_failure("mmap", error, path);
    if (shared->magic != IpcShared::kMagic || shared->version != IpcShared::kVersion || shared->nonce != nonce) {
        unmap_arena(shared);
        return Result::NotAHandle;
    }
    *out = shared;
    return Result::Ok;
}

void unmap_arena(IpcShared *shared) noexcept { munmap(shared, kArenaBytes); }

void unlink_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    char path[kPathSize];
    arena_path(directory, exporter, nonce, path);
    unlink(path); // may be gone: someone cleaned the directory
}

} // namespace gs::host
