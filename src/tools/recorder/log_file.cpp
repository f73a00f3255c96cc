// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/own_file.hpp"
#include "base/thread_block.hpp"

namespace gs::recorder {
namespace {

Mutex g_log_file_mutex;
std::atomic<int> g_log_fd{-1}; // never closed: that would end the lock
std::atomic<bool> g_log_in_memory{false};
// Set by open_log_file() before one of the two above, which another thread looks at first.
LogFileHeader *g_log_header = nullptr;
LogFileName *g_log_names = nullptr;
pid_t g_log_process = 0;
uint64_t g_log_file_entries = 0; // not read from the file again, which others may write
uint64_t g_log_rings GS_GUARDED_BY(g_log_file_mutex) = 0;
void *g_log_parts[kLogFileRings] = {}; // those of the rings; raised together with their number
size_t g_next_log_name GS_GUARDED_BY(g_log_file_mutex) = 0;

// Until the process ends, however that is. Children do not inherit it.
bool lock_file(int fd) noexcept {
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return fcntl(fd, F_SETLK, &whole) == 0;
}

// Only a log or an empty file is overwritten.
bool may_overwrite(int fd) noexcept {
    char magic[sizeof kLogMagic];
    const ssize_t read = pread(fd, magic, sizeof magic, 0);
    return read == 0 ||
           (read == static_cast<ssize_t>(sizeof magic) && std::memcmp(magic, kLogMagic, sizeof magic) == 0);
}

// nullptr: errno says why. The file grows to the end of the part.
void *reserve_and_map(int fd, size_t at, size_t bytes) noexcept {
    rlimit limit{};
    // Beyond this limit the system raises a signal that ends the process.
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && at + bytes > limit.rlim_cur) {
        errno = EFBIG;
        return nullptr;
    }
    int code = 0;
    do // runtimes and profilers send signals all the time
        code = posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(bytes));
    while (code == EINTR);
    if (code != 0) {
        errno = code;
        return nullptr;
    }
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(at));
    return memory == MAP_FAILED ? nullptr : memory;
}

// False: the kernel has no memory for it, or the process's limit is reached. What is mapped there then is not known.
bool map_over(void *memory, size_t bytes, int flags, int fd, size_t at) noexcept {
    return mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | flags, fd, static_cast<off_t>(at)) !=
           MAP_FAILED;
}

// A child that may not work reads on in the file, and what it writes stays in its own memory. One that may work has streams of
// the same numbers as the parent: what that logs from now on is not to be seen here, so its rings begin again. No device was used
// before, so they had ranges and marks only; those that are open go on.
bool keep_privately(int fd, void *memory, size_t at, size_t bytes) noexcept {
    if (in_bad_fork()) return map_over(memory, bytes, 0, fd, at);
    const bool is_own = t_block && t_block->ranges.load(std::memory_order_relaxed) == memory;
    char ranges[kLogPage];
    std::memcpy(ranges, memory, sizeof ranges); // the parent may be in the next one already: a name is wrong then
    if (!map_over(memory, bytes, MAP_ANONYMOUS, -1, 0)) return false;
    if (!is_own) return true;
    std::memcpy(memory, ranges, sizeof ranges);
    static_cast<LogFileRanges *>(memory)->open = t_block->open_ranges;
    return true;
}

// Threads begin new rings, in memory. Rings that a trace made in place of one in the file write there too, so all are left.
void leave_rings() noexcept {
    for (ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        thread->log.store(nullptr, std::memory_order_relaxed);
        thread->ranges.store(nullptr, std::memory_order_relaxed);
    }
}

// The only thread of a forked child goes on at the places that it has mapped, in memory of its own. If there is none, its log
// begins elsewhere. The lock may be held permanently, by a thread that the child does not have.
void leave_file_to_parent() noexcept GS_UNANALYSED {
    const int fd = g_log_fd.exchange(-1, std::memory_order_relaxed);
    if (fd < 0) return;
    const int saved = errno;
    const size_t bytes = log_part_bytes(g_log_file_entries);
    bool kept = true; // the header and the names are written only with the file
    for (uint64_t i = 0; i < g_log_rings; ++i)
        kept = keep_privately(fd, g_log_parts[i], kLogRingsAt + i * bytes, bytes) && kept;
    if (!kept) leave_rings();
    close(fd); // the lock on the file is the parent's
    errno = saved;
}

void begin_log(void *memory, uint64_t entries) noexcept {
    g_log_names = reinterpret_cast<LogFileName *>(static_cast<char *>(memory) + kLogNamesAt);
    g_log_header = static_cast<LogFileHeader *>(memory);
    std::memcpy(g_log_header->magic, kLogMagic, sizeof kLogMagic);
    g_log_header->version = kLogVersion;
    g_log_header->byte_order = kLogByteOrder;
    g_log_process = getpid();
    g_log_header->process = static_cast<uint64_t>(g_log_process);
    g_log_header->entries = g_log_file_entries = entries;
}

const char *prepare_log_file(int fd, uint64_t entries) noexcept {
    if (!lock_file(fd)) return "another process writes it (\"%p\" in the path stands for the process's number)";
    if (!may_overwrite(fd)) return "it exists and is not a log of gpustream";
    if (ftruncate(fd, 0) != 0) return std::strerror(errno);
    void *memory = reserve_and_map(fd, 0, kLogRingsAt);
    if (!memory) return std::strerror(errno);
    begin_log(memory, entries);
    return nullptr;
}

void *map_memory(size_t bytes) noexcept {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// A forked child goes on with the rings that it has. It adds none here: the lock may be held permanently, as above.
void keep_memory_in_child() noexcept {
    g_log_in_memory.store(false, std::memory_order_relaxed);
    g_log_header->process = static_cast<uint64_t>(getpid());
}

void keep_log_in_memory(uint64_t entries) noexcept {
    void *memory = map_memory(kLogMemoryBytes);
    if (!memory) return log_message(GS_LOG_WARNING, "no memory for a log that core files have");
    begin_log(memory, entries);
    g_log_header->self = reinterpret_cast<uintptr_t>(memory);
    register_fork_child_hook(keep_memory_in_child);
    // Publishes plain memory, what begin_log() has set, as the record does in model first_record_is_seen_whole.
    g_log_in_memory.store(true, std::memory_order_release);
}

// Both as model first_record_is_seen_whole.
bool has_log() noexcept {
    return g_log_fd.load(std::memory_order_acquire) >= 0 || g_log_in_memory.load(std::memory_order_acquire);
}

// nullptr: errno says why.
void *map_part(uint64_t ring, size_t bytes) noexcept {
    const int fd = g_log_fd.load(std::memory_order_relaxed);
    errno = ENOSPC;
    if (ring == kLogFileRings) return nullptr;
    if (fd >= 0) return reserve_and_map(fd, kLogRingsAt + ring * bytes, bytes);
    void *memory = map_memory(bytes);
    auto *parts = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(g_log_header) + kLogPartsAt);
    parts[ring] = reinterpret_cast<uintptr_t>(memory);
    return memory;
}

} // namespace

void open_log_file(const char *path, uint64_t entries) noexcept {
    if (!path) return keep_log_in_memory(entries);
    char expanded[PATH_MAX];
    const char *problem = "the path is too long";
    int fd = -1;
    if (expand_path(path, expanded)) {
        fd = open_own_file(expanded, O_RDWR | O_CREAT, &problem);
        if (fd >= 0) problem = prepare_log_file(fd, entries);
    }
    if (!problem) {
        register_fork_child_hook(leave_file_to_parent);
        // As keep_log_in_memory() does, model first_record_is_seen_whole.
        return g_log_fd.store(fd, std::memory_order_release);
    }
    if (fd >= 0) close(fd);
    log_message(GS_LOG_WARNING, "%s is ignored, the log is in memory only: %s ('%s')", name_of(Variable::LogFile),
                problem, path);
    keep_log_in_memory(entries);
}

LogFilePart add_ring_to_file() noexcept {
    if (!has_log()) return {};
    {
        MutexLock lock(g_log_file_mutex);
        if (void *memory = map_part(g_log_rings, log_part_bytes(g_log_file_entries))) {
            g_log_parts[g_log_rings] = memory;
            g_log_header->rings = ++g_log_rings;
            return {memory, static_cast<char *>(memory) + kLogPage, g_log_file_entries};
        }
    }
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true, std::memory_order_relaxed) && !g_log_in_memory.load(std::memory_order_relaxed))
        log_message(GS_LOG_WARNING, "%s: no room for the log of a thread, which is in memory only: %s",
                    name_of(Variable::LogFile), std::strerror(errno));
    return {};
}

void keep_name_in_file(uint64_t handle) noexcept {
    if (!has_log()) return;
    const NameText name = name_of_object(handle);
    MutexLock lock(g_log_file_mutex);
    size_t at = 0;
    while (at < kLogFileNames && g_log_names[at].handle != handle) ++at;
    if (at == kLogFileNames) at = g_next_log_name++ % kLogFileNames; // in the end the oldest ones go
    // The process may be killed in between, and others read the file: no object has half a name.
    __atomic_exchange_n(&g_log_names[at].handle, 0, __ATOMIC_ACQUIRE); // the text is not written before
    std::memcpy(g_log_names[at].text, name.text, sizeof name.text);
    __atomic_store_n(&g_log_names[at].handle, handle, __ATOMIC_RELEASE);
}

int own_log_file(const struct stat &file) noexcept {
    const int fd = g_log_fd.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    struct stat own{};
    if (fd < 0 || g_log_process != getpid() || fstat(fd, &own) != 0) return -1;
    return own.st_dev == file.st_dev && own.st_ino == file.st_ino ? fd : -1;
}

} // namespace gs::recorder
