// SPDX-License-Identifier: Apache-2.0
// Runs a test in a process of its own: for effects that occur once per process (initialisation), are permanent (a broken
// device), or occur at its end. The child is this executable with a filter that selects the same test.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gs::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct ChildResult {
    int status = 0; // as returned by waitpid
    bool timed_out = false;
    std::string output; // stdout and stderr
};

// Runs this executable's test `filter` with more environment variables, for as long as
// a test may take.
ChildResult run_self(const std::string &filter, const Environment &environment);

// True in the child, which then runs the test's body. In the parent the child was run and judged: return at once.
bool in_own_process(const Environment &environment = {});

} // namespace gs::test

#define OWN_PROCESS(...)                                                                                               \
    if (!::gs::test::in_own_process(__VA_ARGS__)) return
