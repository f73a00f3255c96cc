// SPDX-License-Identifier: Apache-2.0
#include "front/launch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

extern char **environ;

namespace command {
namespace {

double now_s() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool sets(const char *entry, const char *variable) {
    const size_t bytes = std::strlen(variable);
    return std::strncmp(entry, variable, bytes) == 0 && entry[bytes] == '=';
}

std::vector<std::string> environment_of(const Launch &launch) {
    std::vector<std::string> all;
    const char *libraries = std::getenv("LD_LIBRARY_PATH");
    const std::string behind = libraries && *libraries ? std::string(":") + libraries : "";
    for (char **entry = environ; *entry; ++entry)
        if (!sets(*entry, "LD_LIBRARY_PATH") && !sets(*entry, "GPUSTREAM_RUN") && !sets(*entry, "GPUSTREAM_LIBCUDA"))
            all.emplace_back(*entry);
    // A front of an outer run is not in front of this one.
    all.push_back("LD_LIBRARY_PATH=" + launch.front + ":" + launch.folder + behind);
    all.push_back("GPUSTREAM_RUN=driver=" + launch.driver + ";folder=" + launch.folder + ";" + launch.settings);
    // gpustream in the program is to open the front, too, in place of the driver that was named. The simulated driver
    // counts as named: nodes in /dev and NVML report the machine's GPUs instead.
    if (launch.is_simulated || std::getenv("GPUSTREAM_LIBCUDA"))
        all.push_back("GPUSTREAM_LIBCUDA=" + launch.front + "/libcuda.so.1");
    return all;
}

// Some programs open libcuda.so first. The loader knows one file by both names.
int start(const Launch &launch, pid_t *child) {
    if (symlink((launch.front + "/libcuda.so.1").c_str(), (launch.folder + "/libcuda.so").c_str()) != 0) return errno;
    std::vector<std::string> environment = environment_of(launch);
    std::vector<char *> pointers;
    for (std::string &entry : environment) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const char *output = !launch.output.empty() ? launch.output.c_str() : launch.is_quiet ? "/dev/null" : nullptr;
    if (output) posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!output && launch.prints_to_stderr) posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (!launch.has_input) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (launch.is_quiet) posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int flags = POSIX_SPAWN_SETSIGMASK | (launch.is_quiet ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    const int code = posix_spawnp(child, launch.program[0], &files, &attributes, launch.program, pointers.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

// The keys of a terminal send it to all processes of its foreground group.
bool came_to_child_too(const siginfo_t &info, pid_t child) {
    return info.si_code == SI_KERNEL && info.si_signo != SIGHUP && getpgid(child) == getpgrp();
}

// The end of the child is a signal as well, so one call waits for all.
int wait_for(pid_t child, const sigset_t &signals, const Launch &launch, Ended &ended) {
    const double began = now_s();
    const pid_t target = launch.is_quiet ? -child : child; // its group, with the processes that it has started
    for (;;) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return status;
        timespec rest{0, 200000000};
        siginfo_t info{};
        const int signal_number = sigtimedwait(&signals, &info, &rest);
        if (signal_number > 0 && signal_number != SIGCHLD) {
            if (signal_number != SIGUSR1 && signal_number != SIGUSR2) ended.asked_to_end = signal_number;
            if (!came_to_child_too(info, child)) kill(target, signal_number);
        }
        if (launch.limit_s > 0 && now_s() - began > launch.limit_s && !ended.timed_out) {
            ended.timed_out = true;
            kill(target, SIGKILL);
        }
    }
}

} // namespace

std::string text_of_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string whole_path(const std::string &path) {
    char folder[PATH_MAX];
    return path[0] == '/' || !getcwd(folder, sizeof folder) ? path : std::string(folder) + "/" + path;
}

RunFolder::RunFolder(std::string *trouble) {
    const char *parent = std::getenv("TMPDIR");
    std::string path = whole_path(parent && *parent ? parent : "/tmp") + "/gpustream-run.XXXXXX";
    if (mkdtemp(path.data()))
        path_ = path;
    else
        *trouble = "'" + path + "' cannot be made: " + std::strerror(errno);
}

RunFolder::~RunFolder() {
    if (path_.empty()) return;
    for (const std::string &file : files("")) unlink(file.c_str());
    rmdir(path_.c_str());
}

std::vector<std::string> RunFolder::files(const std::string &ending) const {
    std::vector<std::string> found;
    DIR *folder = opendir(path_.c_str());
    while (const dirent *entry = folder ? readdir(folder) : nullptr) {
        const std::string name = entry->d_name;
        const bool ends =
            name.size() >= ending.size() && name.compare(name.size() - ending.size(), name.npos, ending) == 0;
        if (name[0] != '.' && ends) found.push_back(path_ + "/" + name);
    }
    if (folder) closedir(folder);
    std::sort(found.begin(), found.end());
    return found;
}

Ended run_program(const Launch &launch) {
    Ended ended;
    sigset_t signals, before;
    sigemptyset(&signals);
    for (const int one : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&signals, one);
    signal(SIGCHLD, SIG_DFL); // where it is ignored, as by some starters, waitpid() finds no child
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t child = 0;
    const double began = now_s();
    if (const int code = start(launch, &child); code != 0) {
        ended.trouble = std::string("'") + launch.program[0] + "' cannot be started: " + std::strerror(code);
    } else {
        const int status = wait_for(child, signals, launch, ended);
        ended.started = true;
        ended.ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        ended.code = ended.ended_by != 0 ? 128 + ended.ended_by : WEXITSTATUS(status);
    }
    ended.took_s = now_s() - began;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return ended;
}

} // namespace command
