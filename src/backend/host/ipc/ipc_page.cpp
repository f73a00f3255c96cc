// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_page.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "base/status.hpp"

namespace gs::host {
namespace {

constexpr size_t kPathSize = 400;

void page_path(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
               char (&out)[kPathSize]) noexcept {
    char name[kPageNameSize];
    page_name(exporter, nonce, name);
    std::snprintf(out, sizeof out, "%s/%s", directory, name);
}

Result system_failure(const char *function, int error, const char *path) noexcept {
    if (error == ENOSPC || error == ENOMEM || error == EDQUOT) {
        fail(GS_ERROR_OUT_OF_MEMORY, "no room for an interprocess event in '%s': %s: error %d", path, function, error)
            .ignore();
        return Result::NoRoom;
    }
    fail_system(function, error, "interprocess event '%s'", path).ignore();
    return Result::System;
}

IpcPage *map(int fd) noexcept {
    void *memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<IpcPage *>(memory);
}

// A file of another user, or one that is not ours, must not be mapped.
bool acceptable(const struct stat &status) noexcept {
    return S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 0777) == 0600 &&
           status.st_size == static_cast<off_t>(kPageBytes);
}

} // namespace

Result create_page(const char *directory, const IpcHandle &handle, IpcPage **out) noexcept {
    char path[kPathSize];
    page_path(directory, handle.exporter, handle.nonce, path);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return system_failure("open", errno, path);
    const char *function = "fchmod"; // the umask may have taken away what open() asked for
    int error = fchmod(fd, 0600) == 0 ? 0 : errno;
    if (error == 0) {
        function = "posix_fallocate"; // writing to a page that the file system cannot back would be SIGBUS
        error = posix_fallocate(fd, 0, static_cast<off_t>(kPageBytes));
    }
    IpcPage *page = nullptr;
    if (error == 0) {
        function = "mmap";
        page = map(fd);
        error = page ? 0 : errno;
    }
    close(fd);
    if (error != 0) {
        unlink(path);
        return system_failure(function, error, path);
    }
    page->magic = IpcHandle::kMagic; // all else is zero
    page->version = IpcHandle::kVersion;
    page->device = handle.device;
    page->nonce = handle.nonce;
    *out = page;
    return Result::Ok;
}

Result open_page(const char *directory, const IpcHandle &handle, IpcPage **out) noexcept {
    char path[kPathSize];
    page_path(directory, handle.exporter, handle.nonce, path);
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
    IpcPage *page = map(fd);
    const int error = errno;
    close(fd);
    if (!page) return system_failure("mmap", error, path);
    if (page->magic != IpcHandle::kMagic || page->version != IpcHandle::kVersion || page->nonce != handle.nonce ||
        page->device != handle.device) {
        unmap_page(page);
        return Result::NotAHandle;
    }
    *out = page;
    return Result::Ok;
}

void unmap_page(IpcPage *page) noexcept { munmap(page, kPageBytes); }

void unlink_page(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    char path[kPathSize];
    page_path(directory, exporter, nonce, path);
    unlink(path); // may be gone if the directory was cleaned
}

void sweep_pages(const char *directory) noexcept {
    DIR *entries = opendir(directory);
    if (!entries) return; // creating the page reports why
    while (const dirent *entry = readdir(entries)) {
        ProcessIdentity exporter;
        if (!parse_page_name(entry->d_name, &exporter) || exporter.uid != geteuid() || !is_dead(exporter)) continue;
        unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
}

} // namespace gs::host
