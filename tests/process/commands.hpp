// SPDX-License-Identifier: Apache-2.0
// A child process that executes commands line by line and replies to each line, and work that it holds up by command.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <string>

#include "support/child_process.hpp"

namespace gs::test {

// A host function that waits until it is released.
struct Hold {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;

    static void wait(void *self) {
        Hold &hold = *static_cast<Hold *>(self);
        std::unique_lock<std::mutex> lock(hold.mutex);
        hold.changed.wait(lock, [&] { return hold.open; });
    }
    void release() {
        std::lock_guard<std::mutex> lock(mutex);
        open = true;
        changed.notify_all();
    }
};

using Command = std::string (*)(const std::string &arguments); // returns the reply

// Until the word "exit" or the end of the input: the child's exit status.
inline int serve_commands(const std::map<std::string, Command> &commands) {
    std::puts("ready");
    for (std::string line; std::getline(std::cin, line);) {
        const size_t space = line.find(' ');
        const std::string word = line.substr(0, space);
        if (word == "exit") return 0;
        const auto command = commands.find(word);
        CHILD_REQUIRE(command != commands.end());
        std::puts(command->second(space == std::string::npos ? "" : line.substr(space + 1)).c_str());
    }
    return 0;
}

} // namespace gs::test
