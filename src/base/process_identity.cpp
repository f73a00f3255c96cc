// SPDX-License-Identifier: Apache-2.0
#include "base/process_identity.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/lock.hpp"

namespace gs {
namespace {

constexpr uint64_t kExiting = 0x4; // PF_EXITING of the kernel

struct Stat {
    char state = 0;
    uint64_t flags = 0;
};

// Reads a file "stat" of /proc. The process's name in it may have any characters, blanks and parentheses included:
// the fields that count begin behind the last parenthesis.
bool read_stat_file(const char *path, Stat *out) noexcept {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false; // one-sided: the process would have to end between two calls
    char text[1024];
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return false; // one-sided: the process would have to end between two calls
    text[length] = '\0';
    const char *field = std::strrchr(text, ')');
    if (!field || field[1] != ' ') return false; // one-sided: the kernel writes the file so
    field += 2;
    out->state = *field;
    for (int number = 4; number <= 9; ++number) { // field 3 is the state, 9 the flags
        field = std::strchr(field, ' ');
        if (!field) return false; // one-sided: the kernel writes the file so
        ++field;
    }
    out->flags = std::strtoull(field, nullptr, 10);
    return true;
}

// Of the first thread. qemu-user shows a process a /proc/PID/stat of its own making.
bool read_stat(uint32_t pid, Stat *out) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, pid);
    return read_stat_file(path, out);
}

bool same_namespace(const ProcessIdentity &process) noexcept {
    ProcessIdentity self;
    return this_process(&self).ok() && self.pid_namespace != 0 && self.pid_namespace == process.pid_namespace;
}

bool is_running(const Stat &thread) noexcept {
    return thread.state != 'X' && thread.state != 'Z' && (thread.flags & kExiting) == 0;
}

constexpr size_t kLifePathSize = kLongestSharedDirectory + 32;

void life_path(const char *directory, uint64_t life, char (&out)[kLifePathSize]) noexcept {
    std::snprintf(out, sizeof out, "%s/gpustream-%016" PRIx64, directory, life);
}

Status life_failure(const char *function, int error, const char *path) noexcept {
    constexpr const char *kHelp = "GPUSTREAM_SHM_DIR names another folder, the same in all processes";
    if (error == ENOSPC || error == ENOMEM || error == EDQUOT)
        return fail(GS_ERROR_OUT_OF_MEMORY, "no room for the process's file '%s' (%s): %s: error %d", path, kHelp,
                    function, error);
    return fail_system(function, error, "the process's file '%s' (%s)", path, kHelp);
}

// The mapping keeps the lock. It stays when a program closes all descriptors, and no forked child has it,
// which could outlive this process. ESTALE: a sweep has removed the file before it was locked.
int hold_lock(int fd, const char **out_function) noexcept {
    constexpr size_t kBytes = 4096;
    *out_function = "mmap";
    void *memory = mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return errno;
    *out_function = "madvise";
    int error = madvise(memory, kBytes, MADV_DONTFORK) == 0 ? 0 : errno; // one-sided: the mapping is ours
    if (error == 0) {                                                    // one-sided: same reason as above
        *out_function = "flock";
        while ((error = flock(fd, LOCK_EX) == 0 ? 0 : errno) == EINTR) {} // a sweep may just look at the file
    }
    struct stat file{};
    if (error == 0 && (fstat(fd, &file) != 0 || file.st_nlink == 0)) error = ESTALE;
    if (error != 0) munmap(memory, kBytes);
    return error;
}

Status make_life(const char *directory, uint64_t life, bool *out_made) noexcept {
    char path[kLifePathSize];
    life_path(directory, life, path);
    // Its owner and its links need no check, as it is new. A sweep may remove it at any moment until it is locked.
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return life_failure("open", errno, path);
    const char *function = nullptr;
    const int error = hold_lock(fd, &function);
    close(fd);
    *out_made = error == 0;
    if (error == 0 || error == ESTALE) return kOk;
    unlink(path);
    return life_failure(function, error, path);
}

// Processes may reach the same folder by different paths.
uint32_t folder_mark(const char *directory) noexcept {
    struct stat folder{};
    if (stat(directory, &folder) != 0) return 0; // making a file there says why
    uint64_t mixed = (static_cast<uint64_t>(folder.st_dev) << 32 ^ folder.st_ino) * 0xff51afd7ed558ccdu;
    return static_cast<uint32_t>(mixed >> 32);
}

// 0 where /proc shows another namespace's processes, or nothing.
uint64_t own_namespace() noexcept {
    char number[16] = {};
    struct stat status{};
    const bool own = readlink("/proc/self", number, sizeof number - 1) > 0 && std::atoi(number) == getpid();
    return own && stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

Mutex g_identity_mutex;
ProcessIdentity g_identity GS_GUARDED_BY(g_identity_mutex);
// As long as the identity, so that threads that look after other processes leave the environment alone.
char g_directory[kLongestSharedDirectory] GS_GUARDED_BY(g_identity_mutex);

Status make_identity_in(const char *directory, ProcessIdentity *out) noexcept {
    ProcessIdentity made;
    for (bool is_made = false; !is_made;) {
        GS_TRY(make_nonce("the process", &made.life));
        GS_TRY(make_life(directory, made.life, &is_made));
    }
    made.pid_namespace = own_namespace();
    made.pid = static_cast<uint32_t>(getpid());
    made.folder = folder_mark(directory);
    *out = made;
    return kOk;
}

Status make_own_identity() noexcept GS_REQUIRES(g_identity_mutex) {
    const char *directory = nullptr;
    GS_TRY(shared_directory(&directory));
    std::strcpy(g_directory, directory); // it is short enough
    return make_identity_in(g_directory, &g_identity);
}

// The paths of the files of this process, which exists, and of another one.
Status life_paths(uint64_t life, char (&out_own)[kLifePathSize], char (&out)[kLifePathSize]) noexcept {
    ProcessIdentity self;
    GS_TRY(this_process(&self));
    MutexLock lock(g_identity_mutex);
    life_path(g_directory, self.life, out_own);
    life_path(g_directory, life, out);
    return kOk;
}

} // namespace

Status shared_directory(const char **out) noexcept {
    const char *directory = env_text(Variable::ShmDir);
    if (!directory || *directory == '\0') directory = "/dev/shm";
    if (std::strlen(directory) >= kLongestSharedDirectory)
        return fail(GS_ERROR_INVALID_ARGUMENT, "GPUSTREAM_SHM_DIR is longer than %zu bytes",
                    kLongestSharedDirectory - 1);
    *out = directory;
    return kOk;
}

Status make_nonce(const char *purpose, uint64_t *out) noexcept {
    // Released libraries load with glibc 2.17, which has no function for this call.
    if (syscall(SYS_getrandom, out, sizeof *out, 0) == sizeof *out)
        return kOk; // one-sided: the kernel gives 8 bytes at once
    return fail_system("getrandom", errno, "cannot name a file of %s", purpose); // not reached: same reason as above
}

Status make_identity(ProcessIdentity *out) noexcept {
    const char *directory = nullptr;
    GS_TRY(shared_directory(&directory));
    return make_identity_in(directory, out);
}

namespace {

// A child that is forked while the file is open would have its lock. A fork takes this lock behind that of the list, so
// it is registered before it is taken.
void guard_identity_in_fork() noexcept {
    static std::atomic<bool> done{false};
    if (done.load(std::memory_order_acquire)) return;
    register_fork_mutex(g_identity_mutex, ForkLock::Always);
    done.store(true, std::memory_order_release);
}

} // namespace

Status this_process(ProcessIdentity *out) noexcept {
    guard_identity_in_fork();
    MutexLock lock(g_identity_mutex);
    if (g_identity.pid != static_cast<uint32_t>(getpid())) GS_TRY(make_own_identity());
    *out = g_identity;
    return kOk;
}

bool life_has_ended(uint64_t life) noexcept {
    char own[kLifePathSize], path[kLifePathSize];
    if (!life_paths(life, own, path).ok()) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        const bool ended = flock(fd, LOCK_SH | LOCK_NB) == 0;
        close(fd);
        return ended;
    }
    // A sweep has removed it, unless someone has emptied the folder.
    return errno == ENOENT && access(own, F_OK) == 0;
}

bool is_dead(const ProcessIdentity &process) noexcept {
    if (life_has_ended(process.life)) return true;
    return same_namespace(process) && kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH;
}

namespace {

// In /proc. The first thread may have ended alone: others may work on.
bool has_running_thread(uint32_t pid) noexcept {
    Stat first;
    if (!read_stat(pid, &first)) return false; // one-sided: the process would have to end between two calls
    if (is_running(first)) return true;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%u/task", pid);
    DIR *threads = opendir(path);
    if (!threads) return false; // one-sided: the process would have to end between two calls
    bool found = false;
    while (const dirent *entry = found ? nullptr : readdir(threads)) {
        if (entry->d_name[0] == '.') continue;
        char file[sizeof path + sizeof entry->d_name + sizeof "/stat"];
        std::snprintf(file, sizeof file, "%s/%s/stat", path, entry->d_name);
        Stat thread;
        found = read_stat_file(file, &thread) && is_running(thread);
    }
    closedir(threads);
    return found;
}

} // namespace

// The number belongs to the process as long as that has its lock, so the lock is looked at last.
bool is_alive(const ProcessIdentity &process) noexcept {
    return same_namespace(process) && has_running_thread(process.pid) && !is_dead(process);
}

Status check_folder(const ProcessIdentity &process, const ProcessIdentity &self) noexcept {
    if (process.folder == self.folder) return kOk;
    return fail(
        GS_ERROR_NOT_SUPPORTED,
        "process %u shares files in another folder than this process. Lead both to one by GPUSTREAM_SHM_DIR: each "
        "container has a /dev/shm of its own unless it shares one",
        process.pid);
}

} // namespace gs
