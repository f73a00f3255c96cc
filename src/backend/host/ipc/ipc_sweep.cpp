// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_sweep.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/host/ipc/ipc_handle.hpp"

namespace gs::host {
namespace {

// Of one step: other processes' completions wait for its end.
constexpr int kSweepEntries = 256;
constexpr int kLooks = 16; // at a process, which costs microseconds

// Only a file that this user's library made: a name that fits proves nothing.
bool removable(int directory, const char *name) noexcept {
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 0777) == 0600;
}

} // namespace

void IpcSweep::begin(const char *directory) noexcept {
    if (entries_) closedir(entries_);
    entries_ = opendir(directory); // creating or opening a file there says why it fails
}

bool IpcSweep::step() noexcept {
    int looks = 0;
    for (int i = 0; entries_ && i < kSweepEntries && looks < kLooks; ++i) {
        const dirent *entry = readdir(entries_);
        if (!entry) {
            closedir(entries_);
            entries_ = nullptr;
            break;
        }
        ProcessIdentity exporter;
        if (!parse_arena_name(entry->d_name, &exporter) || exporter.uid != geteuid()) continue;
        ++looks;
        if (!removable(dirfd(entries_), entry->d_name) || !is_dead(exporter)) continue;
        unlinkat(dirfd(entries_), entry->d_name, 0);
    }
    return entries_ != nullptr;
}

} // namespace gs::host
