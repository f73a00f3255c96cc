// SPDX-License-Identifier: Apache-2.0
#include "support/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "support/self_program.hpp"

namespace gs::test {
namespace {

constexpr long long kLimitMs = 100'000LL * GS_TEST_TIMEOUT_FACTOR; // far beyond any child's need: it ends what hangs

long long now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

std::map<std::string, ChildMain> &registry() {
    static std::map<std::string, ChildMain> all;
    return all;
}

void require(bool good, const char *what) {
    if (good) return;
    std::fprintf(stderr, "child_process: %s: %s\n", what, std::strerror(errno));
    std::abort();
}

struct Pipes {
    int in[2];
    int out[2];
    Pipes() { require(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe2"); }
};

// In the child, before anything else. Only async-signal-safe calls.
void become_child(const Pipes &pipes, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // the parent died before the line above
    dup2(pipes.in[0], STDIN_FILENO);
    dup2(pipes.out[1], STDOUT_FILENO);
    dup2(pipes.out[1], STDERR_FILENO);
}

std::vector<char *> pointers(const std::vector<std::string> &texts) {
    std::vector<char *> result;
    for (const std::string &text : texts) result.push_back(const_cast<char *>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

// This process's environment with some variables replaced; one that is set to the text "-" is removed.
std::vector<std::string> merged(const Variables &variables) {
    std::vector<std::string> result;
    for (char **entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        const bool replaced =
            std::any_of(variables.begin(), variables.end(), [&](const auto &pair) { return pair.first == name; });
        if (!replaced) result.push_back(text);
    }
    for (const auto &[name, value] : variables)
        if (value != "-") result.push_back(name + "=" + value);
    return result;
}

} // namespace

std::string describe(const Outcome &outcome) {
    std::string text;
    if (outcome.timed_out)
        text = "hung and was killed";
    else if (outcome.exited)
        text = "exited with " + std::to_string(outcome.code);
    else
        text = "ended by signal " + std::to_string(outcome.signal) + " (" + strsignal(outcome.signal) + ")";
    return text + "; its output:\n" + outcome.output;
}

Child::Child(pid_t pid, const int (&in)[2], const int (&out)[2])
    : pid_(pid), input_(in[1]), output_(out[0]), deadline_ms_(now_ms() + kLimitMs) {
    setpgid(pid, pid); // also here: the group must exist before it can be killed
    close(in[0]);
    close(out[1]);
}

Child::Child(Child &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)), timed_out_(other.timed_out_), deadline_ms_(other.deadline_ms_),
      pending_(std::move(other.pending_)), all_(std::move(other.all_)) {}

Child::~Child() {
    if (pid_ > 0) {
        kill(SIGKILL);
        wait();
    }
    if (input_ >= 0) close(input_);
    if (output_ >= 0) close(output_);
}

Child Child::start(const std::vector<std::string> &command, const Variables &variables) {
    const std::vector<std::string> environment = merged(variables);
    const std::vector<char *> argv = pointers(command);
    const std::vector<char *> envp = pointers(environment);
    const pid_t parent = getpid();
    Pipes pipes;
    const pid_t pid = fork();
    require(pid >= 0, "fork");
    if (pid == 0) {
        become_child(pipes, parent);
        execvpe(argv[0], argv.data(), envp.data());
        _exit(127);
    }
    return {pid, pipes.in, pipes.out};
}

Child Child::start_self(const std::string &name, const std::vector<std::string> &arguments, const Variables &variables,
                        const std::vector<std::string> &under) {
    std::vector<std::string> command = self_command();
    if (!under.empty()) {
        // Of this program, not of the one that is started first.
        if (command.size() == 1) command.front() = std::filesystem::read_symlink(command.front());
        command.insert(command.begin(), under.begin(), under.end());
    }
    command.push_back("--child=" + name);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return start(command, variables);
}

Child Child::fork_only(const std::function<int()> &body) {
    std::fflush(nullptr); // buffered output would be written twice
    const pid_t parent = getpid();
    Pipes pipes;
    const pid_t pid = fork();
    require(pid >= 0, "fork");
    if (pid == 0) {
        become_child(pipes, parent);
        close(pipes.in[1]);
        close(pipes.out[0]);
        const int code = body();
        std::fflush(nullptr);
        _exit(code);
    }
    return {pid, pipes.in, pipes.out};
}

bool Child::send(const std::string &line) {
    const std::string text = line + "\n";
    struct sigaction ignore{}, before{};
    ignore.sa_handler = SIG_IGN; // an ended child must not end its parent
    sigaction(SIGPIPE, &ignore, &before);
    const bool sent = input_ >= 0 && write(input_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    sigaction(SIGPIPE, &before, nullptr);
    return sent;
}

void Child::close_input() {
    if (input_ >= 0) close(std::exchange(input_, -1));
}

void Child::kill(int signal) {
    if (pid_ > 0) ::kill(pid_, signal);
}

// One read with a time limit; false on timeout or at the end.
bool Child::fill(int timeout_ms) {
    pollfd ready{output_, POLLIN, 0};
    if (output_ < 0 || poll(&ready, 1, timeout_ms) <= 0) return false;
    char buffer[4096];
    const ssize_t count = read(output_, buffer, sizeof buffer);
    if (count <= 0) {
        close(std::exchange(output_, -1));
        return false;
    }
    pending_.append(buffer, static_cast<size_t>(count));
    all_.append(buffer, static_cast<size_t>(count));
    return true;
}

bool Child::read_line(std::string *line) {
    for (;;) {
        const size_t end = pending_.find('\n');
        if (end != std::string::npos) {
            *line = pending_.substr(0, end);
            pending_.erase(0, end + 1);
            return true;
        }
        const long long left = deadline_ms_ - now_ms();
        if (output_ < 0 || left <= 0) return false;
        fill(static_cast<int>(std::min<long long>(left, 1000)));
    }
}

Outcome Child::wait() {
    Outcome outcome;
    if (pid_ <= 0) return outcome;
    close_input();
    for (;;) {
        siginfo_t ended{};
        // The child is reaped later, so that its process id stays its own until the group has been killed.
        if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid_)
            break;
        if (now_ms() > deadline_ms_ && !timed_out_) {
            timed_out_ = true;
            kill(SIGKILL);
        }
        if (!fill(20) && output_ < 0) poll(nullptr, 0, 5);
    }
    ::kill(-pid_, SIGKILL); // and all that it started
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    while (fill(0)) {}
    outcome.timed_out = timed_out_;
    outcome.exited = WIFEXITED(status);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome.output = all_;
    return outcome;
}

ChildRegistration::ChildRegistration(const char *name, ChildMain main) { registry()[name] = main; }

bool run_registered_child(int argc, char **argv, int *code) {
    constexpr const char *kOption = "--child=";
    if (argc < 2 || std::strncmp(argv[1], kOption, std::strlen(kOption)) != 0) return false;
    const auto found = registry().find(argv[1] + std::strlen(kOption));
    if (found == registry().end()) {
        std::fprintf(stderr, "no child '%s'\n", argv[1]);
        *code = 127;
        return true;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // lines must reach the parent while the child lives
    *code = found->second(std::vector<std::string>(argv + 2, argv + argc));
    return true;
}

void child_failed(const char *file, int line, const char *what) {
    std::fprintf(stderr, "%s:%d: in the child: not true: %s\n", file, line, what);
    std::fflush(nullptr);
    _exit(kChildFailed);
}

} // namespace gs::test
