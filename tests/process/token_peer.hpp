// SPDX-License-Identifier: Apache-2.0
// Processes that make tokens and wait for them, driven by lines of text.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <vector>

#include "gpustream.h"
#include "ipc.hpp"

namespace gs::test {

inline std::string token_hex(const gs_token_t &token) {
    std::string text;
    for (const unsigned char byte : token.data) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

inline gs_token_t token_from_hex(const std::string &text) {
    gs_token_t token{};
    for (size_t i = 0; i < sizeof token.data && 2 * i + 1 < text.size(); ++i)
        token.data[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return token;
}

// Which backend the processes of a test run on.
enum class On { Host, FakeCuda };

inline Variables token_variables(const SharedFolder &folder, On on, const Variables &more = {}) {
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

class TokenPeer {
public:
    explicit TokenPeer(const Variables &variables) : child_(Child::start_self("token", {}, variables)) {
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
    // Of the stream's present end.
    std::string token() {
        const std::string answer = say("token");
        EXPECT_EQ(answer.substr(0, 6), "GS_OK ") << answer;
        return answer.size() > 6 ? answer.substr(6) : "";
    }
    // Until the status is another one than GS_NOT_READY: what the last call returned, and the status.
    std::string settled(const std::string &token) { return say("settle " + token); }
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
