// SPDX-License-Identifier: Apache-2.0
#include "base/shared_sweep.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace gs {
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
        ProcessIdentity exporter;
        if (!parse_shared_file_name(entry->d_name, &exporter) || exporter.uid != geteuid()) continue;
        ++looks;
        if (!removable(dirfd(entries_), entry->d_name) || !is_dead(exporter)) continue;
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
