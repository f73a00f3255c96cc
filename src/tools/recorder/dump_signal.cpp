// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/dump_signal.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/env.hpp"
#include "base/log.hpp"
#include "tools/recorder/dump.hpp"

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

} // namespace gs::recorder
