// SPDX-License-Identifier: Apache-2.0
// Child processes that cannot outlive the test: each has a time limit and a process group that is killed with it, and
// dies with its parent. Its output and how it ended are reported.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gs::test {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Outcome {
    bool timed_out = false;
    bool exited = false; // else ended by a signal, or never started
    int code = -1;       // of the exit
    int signal = 0;
    std::string output; // stdout and stderr together

    bool clean() const { return exited && code == 0 && !timed_out; }
};
// For failure messages: how it ended, and what it printed.
std::string describe(const Outcome &outcome);

class Child {
public:
    Child() = default;
    ~Child(); // killed if it still runs
    Child(Child &&other) noexcept;
    Child &operator=(Child &&) = delete;
    Child(const Child &) = delete;

    // Starts a program; its stdin is a pipe from send(), its output one to read_line().
    static Child start(const std::vector<std::string> &command, const Variables &variables = {});
    // Starts a function registered by GS_CHILD in a fresh copy of this executable. under: a command that starts the one behind
    // it, like "unshare".
    static Child start_self(const std::string &name, const std::vector<std::string> &arguments = {},
                            const Variables &variables = {}, const std::vector<std::string> &under = {});
    // Forks without exec; body's result is the exit code, passed to _exit.
    static Child fork_only(const std::function<int()> &body);

    pid_t pid() const { return pid_; }
    bool send(const std::string &line); // adds the newline
    // The next line without its newline; false at the end of the output or when the time is over.
    bool read_line(std::string *line);
    void close_input();
    void kill(int signal);
    Outcome wait(); // reads the rest and waits; at the time limit the child is killed

private:
    // The parent's side of two pipes to a child that was just forked.
    Child(pid_t pid, const int (&in)[2], const int (&out)[2]);
    bool fill(int timeout_ms);

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    bool timed_out_ = false;
    long long deadline_ms_ = 0;
    std::string pending_; // read, not yet given out
    std::string all_;
};

inline Outcome run(const std::vector<std::string> &command, const Variables &variables = {}) {
    return Child::start(command, variables).wait();
}
inline Outcome run_self_as(const std::string &name, const std::vector<std::string> &arguments = {},
                           const Variables &variables = {}) {
    return Child::start_self(name, arguments, variables).wait();
}
inline Outcome run_forked(const std::function<int()> &body) { return Child::fork_only(body).wait(); }

using ChildMain = int (*)(const std::vector<std::string> &arguments);
struct ChildRegistration {
    ChildRegistration(const char *name, ChildMain main);
};
// For main(): true when this process was started by start_self; *code is main's return value.
bool run_registered_child(int argc, char **argv, int *code);

[[noreturn]] void child_failed(const char *file, int line, const char *what);
inline constexpr int kChildFailed = 90;

} // namespace gs::test

// GS_CHILD(name) { ...arguments... return 0; }
#define GS_CHILD(name)                                                                                                 \
    static int gs_child_##name([[maybe_unused]] const std::vector<std::string> &arguments);                            \
    static const ::gs::test::ChildRegistration gs_registration_##name{#name, gs_child_##name};                         \
    static int gs_child_##name([[maybe_unused]] const std::vector<std::string> &arguments)

// In a child: ends it with code 90 and a line that says where.
#define CHILD_REQUIRE(condition)                                                                                       \
    do {                                                                                                               \
        if (!(condition)) ::gs::test::child_failed(__FILE__, __LINE__, #condition);                                    \
    } while (0)
