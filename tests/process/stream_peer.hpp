// SPDX-License-Identifier: Apache-2.0
// A process with streams that a test drives by lines of text.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "gpustream.h"
#include "ipc.hpp"

namespace gs::test {

// The bytes of a name that is sent to another process.
template <typename Name>
std::string hex_of(const Name &name) {
    std::string text;
    for (const unsigned char byte : name.data) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

template <typename Name>
Name from_hex(const std::string &text) {
    Name name{};
    for (size_t i = 0; i < sizeof name.data && 2 * i + 1 < text.size(); ++i)
        name.data[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return name;
}

// Which backend the processes of a test run on.
enum class On { Host, FakeCuda };

inline Variables peer_variables(const SharedFolder &folder, On on, const Variables &more = {}) {
    Variables all = {{"GPUSTREAM_SHM_DIR", folder.path()},
                     {"GPUSTREAM_BACKEND", on == On::Host ? "host" : "cuda"},
                     {"GPUSTREAM_HOST_DEVICES", "2"}};
#if defined(GS_TEST_FAKE_CUDA)
    if (on == On::FakeCuda) all.emplace_back("GPUSTREAM_LIBCUDA", GS_TEST_FAKE_CUDA);
#endif
    for (const auto &[name, value] : more) {
        std::erase_if(all, [&name = name](const auto &one) { return one.first == name; });
        all.emplace_back(name, value);
    }
    return all;
}

class StreamPeer {
public:
    StreamPeer(const char *kind, const Variables &variables, const std::vector<std::string> &under = {})
        : child_(Child::start_self(kind, {}, variables, under)) {
        EXPECT_EQ(line(), "ready");
        ok({"stream"});
    }
    std::string say(const std::string &text) {
        ask(text);
        return line();
    }
    void ok(std::initializer_list<std::string> lines) {
        for (const std::string &text : lines) EXPECT_EQ(say(text), "GS_OK") << text;
    }
    void ask(const std::string &text) { EXPECT_TRUE(child_.send(text)) << text; } // the reply comes later
    std::string line() {
        std::string text;
        return child_.read_line(&text) ? text : "(no answer)";
    }
    void end() {
        child_.send("exit");
        const Outcome outcome = child_.wait();
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
    }
    void signal(int number) { child_.kill(number); }
    void kill() {
        child_.kill(SIGKILL);
        EXPECT_EQ(child_.wait().signal, SIGKILL);
    }

private:
    Child child_;
};

} // namespace gs::test
