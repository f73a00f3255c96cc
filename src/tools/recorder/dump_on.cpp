// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/dump.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/own_file.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::recorder {
namespace {

void on_dump_signal(int) {
    const int kept = errno;
    write_dump(STDERR_FILENO).ignore(); // a failure cannot be reported anywhere
    errno = kept;
}

// After these the thread goes on with what raised it, which raises it again.
bool is_synchronous(int number) noexcept {
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT: return true;
    default: return false;
    }
}

} // namespace

void install_dump_signal() noexcept {
    const auto number = static_cast<int>(env_number(Variable::DumpSignal, 0, 1, SIGRTMAX));
    if (number == 0) return;
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
        log_message(GS_LOG_WARNING, "%s=%d is ignored: the program handles or ignores that signal",
                    name_of(Variable::DumpSignal), number);
        return;
    }
    action = {};
    action.sa_handler = on_dump_signal;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    if (is_synchronous(number))
        action.sa_flags |= static_cast<int>(SA_RESETHAND); // the second time is the program's end
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, nullptr) != 0)
        log_message(GS_LOG_WARNING, "%s=%d is ignored: that signal cannot be caught", name_of(Variable::DumpSignal),
                    number);
}

namespace {

enum DumpWish : uint32_t { kDumpDecided = 1, kDumpOnError = 2, kDumpOnTimeout = 4 };
std::atomic<uint32_t> g_dump_on{0};
std::atomic<bool> g_has_dumped{false};

// 0: the text is malformed.
uint32_t parse_dump_on(const char *text) noexcept {
    uint32_t wanted = 0;
    for (;;) {
        const size_t length = std::strcspn(text, ",");
        if (length == 5 && std::strncmp(text, "error", length) == 0)
            wanted |= kDumpOnError;
        else if (length == 7 && std::strncmp(text, "timeout", length) == 0)
            wanted |= kDumpOnTimeout;
        else
            return 0;
        if (text[length] == '\0') return wanted;
        text += length + 1;
    }
}

uint32_t decide_dump_on() noexcept {
    const char *text = env_text(Variable::DumpOn);
    uint32_t wanted = 0;
    if (text && *text != '\0') {
        wanted = parse_dump_on(text);
        if (wanted == 0)
            log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is not error, timeout, or both with a comma between",
                        name_of(Variable::DumpOn), text);
    }
    g_dump_on.store(wanted | kDumpDecided, std::memory_order_relaxed);
    return wanted;
}

int open_dump_file() noexcept {
    const char *path = env_text(Variable::DumpFile);
    if (!path || *path == '\0') return STDERR_FILENO;
    char expanded[PATH_MAX];
    const char *problem = "the path is too long";
    const int fd = expand_path(path, expanded) ? open_own_file(expanded, O_WRONLY | O_CREAT | O_APPEND, &problem) : -1;
    if (fd >= 0) return fd;
    log_message(GS_LOG_WARNING, "%s='%s' cannot be opened, the dump goes to stderr: %s", name_of(Variable::DumpFile),
                path, problem);
    return STDERR_FILENO;
}

} // namespace

void dump_on_failure(const char *function, gs_status_t code) noexcept {
    uint32_t wanted = g_dump_on.load(std::memory_order_relaxed);
    if (wanted == 0) wanted = decide_dump_on();
    if ((wanted & (code == GS_ERROR_TIMEOUT ? kDumpOnTimeout : kDumpOnError)) == 0) return;
    if (g_has_dumped.exchange(true, std::memory_order_relaxed)) return;
    const int kept = errno;
    const int fd = open_dump_file();
    TextSink out(fd);
    out << "gpustream: " << function << "() returned " << (code == GS_ERROR_TIMEOUT ? "TIMEOUT" : "STICKY") << "\n";
    if (!out.finish() || !write_dump(fd).ok())
        log_message(GS_LOG_WARNING, "the dump of %s could not be written", name_of(Variable::DumpOn));
    if (fd != STDERR_FILENO) close(fd);
    errno = kept;
}

} // namespace gs::recorder
