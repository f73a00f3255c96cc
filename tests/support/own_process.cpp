// SPDX-License-Identifier: Apache-2.0
#include "support/own_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "support/self_program.hpp"

extern char **environ;

namespace gs::test {
namespace {

constexpr const char *kMark = "GS_TEST_OWN_PROCESS";
constexpr auto kLimit = std::chrono::seconds(60 * GS_TEST_TIMEOUT_FACTOR);

std::vector<std::string> child_environment(const Environment &extra) {
    std::vector<std::string> result;
    for (char **entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto &[key, value] : extra) replaced |= key == name;
        // The child reports to its parent only, and runs the one test that the filter selects.
        if (!replaced && name.rfind("GTEST_", 0) != 0) result.push_back(text);
    }
    for (const auto &[key, value] : extra) result.push_back(key + "=" + value);
    return result;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
    std::vector<char *> result;
    for (std::string &text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// Reads until end of file or the time limit; false on the limit.
bool read_all(int fd, std::string &output) {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (left <= 0) return false;
        pollfd ready{fd, POLLIN, 0};
        if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
        char buffer[4096];
        const ssize_t count = read(fd, buffer, sizeof buffer);
        if (count <= 0) return true;
        output.append(buffer, static_cast<size_t>(count));
    }
}

} // namespace

ChildResult run_self(const std::string &filter, const Environment &environment) {
    ChildResult result;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ADD_FAILURE() << "pipe2: " << std::strerror(errno);
        return result;
    }
    std::vector<std::string> arguments = self_command();
    arguments.insert(arguments.end(), {"--gtest_filter=" + filter, "--gtest_color=no"});
    std::vector<std::string> variables = child_environment(environment);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawn(&child, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        ADD_FAILURE() << "posix_spawn: " << std::strerror(error);
        close(ends[0]);
        return result;
    }
    result.timed_out = !read_all(ends[0], result.output);
    close(ends[0]);
    if (result.timed_out) kill(child, SIGKILL);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {}
    return result;
}

bool in_own_process(const Environment &environment) {
    if (std::getenv(kMark)) return true;
    const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    Environment all = environment;
    all.emplace_back(kMark, "1");
    const ChildResult child = run_self(name, all);
    EXPECT_FALSE(child.timed_out) << name << " did not end\n" << child.output;
    EXPECT_TRUE(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0)
        << name << ": wait status " << child.status << "\n"
        << child.output;
    // A child whose filter matched nothing would also exit with 0.
    EXPECT_NE(child.output.find("[       OK ] " + name), std::string::npos) << child.output;
    return false;
}

} // namespace gs::test
