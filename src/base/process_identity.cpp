// SPDX-License-Identifier: Apache-2.0
#include "base/process_identity.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/lock.hpp"

namespace gs {
namespace {

constexpr uint64_t kExiting = 0x4; // PF_EXITING of the kernel

struct Stat {
    char state = 0;
    uint64_t flags = 0;
    uint64_t threads = 0;
    uint64_t start_time = 0;
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
    for (int number = 4; number <= 22;
         ++number) { // field 3 is the state, 9 the flags, 20 the number of threads, 22 the start time
        field = std::strchr(field, ' ');
        if (!field) return false; // one-sided: the kernel writes the file so
        ++field;
        if (number == 9) out->flags = std::strtoull(field, nullptr, 10);
        if (number == 20) out->threads = std::strtoull(field, nullptr, 10);
    }
    out->start_time = std::strtoull(field, nullptr, 10);
    return true;
}

// The start of the first thread, which is the start of the process. qemu-user shows a process a /proc/PID/stat of its
// own making, in which the start differs from the one that other processes see.
bool read_stat(uint32_t pid, Stat *out) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, pid);
    return read_stat_file(path, out);
}

bool same_namespace(const ProcessIdentity &process) noexcept {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == process.pid_namespace;
}

bool is_running(const Stat &thread) noexcept {
    return thread.state != 'X' && thread.state != 'Z' && (thread.flags & kExiting) == 0;
}

} // namespace

bool own_identity(ProcessIdentity *out) noexcept {
    struct stat status;
    Stat self;
    out->pid = static_cast<uint32_t>(getpid());
    out->uid = static_cast<uint32_t>(geteuid());
    errno = EIO; // if the file is not as it should be
    if (!read_stat(out->pid, &self)) return false;
    out->start_time = self.start_time;
    if (stat("/proc/self/ns/pid", &status) != 0) return false; // one-sided: every Linux has /proc
    out->pid_namespace = status.st_ino;
    return true;
}

bool is_dead(const ProcessIdentity &process) noexcept {
    if (!same_namespace(process)) return false;
    if (kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return true;
    Stat found;
    if (!read_stat(process.pid, &found)) return false; // one-sided: the process would have to end between two calls
    // The first thread alone may have ended (pthread_exit in main): it is shown as a zombie while the others work on.
    const bool ended = found.state == 'X' || (found.state == 'Z' && found.threads <= 1);
    return ended || found.start_time != process.start_time;
}

bool is_alive(const ProcessIdentity &process) noexcept {
    Stat first;
    if (!same_namespace(process) || !read_stat(process.pid, &first) || first.start_time != process.start_time)
        return false;
    if (is_running(first)) return true;
    // The first thread may have ended alone: others may work on.
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%u/task", process.pid);
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

namespace {

Mutex g_identity_mutex;
ProcessIdentity g_identity GS_GUARDED_BY(g_identity_mutex);

} // namespace

Status this_process(ProcessIdentity *out) noexcept {
    MutexLock lock(g_identity_mutex);
    if (g_identity.pid == 0 && !own_identity(&g_identity)) {
        g_identity.pid = 0;
        return fail_system("open", errno, "what processes share is named after /proc/self/stat, which cannot be read");
    }
    *out = g_identity;
    return kOk;
}

} // namespace gs
