// SPDX-License-Identifier: Apache-2.0
// Interprocess events between processes that are driven by lines of text.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {

inline std::string to_hex(const gs_ipc_handle_t &handle) {
    std::string text;
    for (const unsigned char byte : handle.data) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        text += digits;
    }
    return text;
}

inline gs_ipc_handle_t from_hex(const std::string &text) {
    gs_ipc_handle_t handle{};
    for (size_t i = 0; i < sizeof handle.data && 2 * i + 1 < text.size(); ++i)
        handle.data[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return handle;
}

// 0 where a sweep has just removed the file.
inline uintmax_t bytes_of(const std::filesystem::directory_entry &entry) {
    std::error_code gone;
    const uintmax_t bytes = entry.file_size(gone);
    return gone ? 0 : bytes;
}

// A folder for the shared memory of one test, which must be empty in the end unless the test says otherwise.
class SharedFolder {
public:
    SharedFolder() {
        std::string name = "/dev/shm/gpustream-test-XXXXXX";
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        path_ = name;
    }
    ~SharedFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    SharedFolder(const SharedFolder &) = delete;
    SharedFolder &operator=(const SharedFolder &) = delete;

    const std::string &path() const { return path_; }
    // Without those that processes keep a lock of, which are empty.
    size_t files() const {
        size_t count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(path_)) count += bytes_of(entry) != 0;
        return count;
    }
    // Until there are so many files: those of the dead are removed in the background.
    void await(size_t count) const {
        while (files() != count) sched_yield();
    }
    Variables variables() const { return {{"GPUSTREAM_SHM_DIR", path_}, {"GPUSTREAM_BACKEND", "host"}}; }

private:
    std::string path_;
};

// Writes a number into the files of the folder that have so many bytes, in whole pages. How many there were.
inline size_t overwrite(const SharedFolder &folder, size_t bytes, size_t place, uint32_t number) {
    constexpr size_t kPage = 4096;
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
        if (bytes_of(entry) != (bytes + kPage - 1) / kPage * kPage) continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(place)).write(reinterpret_cast<const char *>(&number), sizeof number);
        count += file.good() ? 1 : 0;
    }
    return count;
}

class Peer {
public:
    explicit Peer(const Variables &variables, const std::vector<std::string> &under = {})
        : child_(Child::start_self("ipc", {}, variables, under)) {
        EXPECT_EQ(line(), "ready");
        ok({"stream"});
    }
    explicit Peer(const SharedFolder &folder) : Peer(folder.variables()) {}

    // Sends one line and receives one.
    std::string say(const std::string &text) {
        EXPECT_TRUE(child_.send(text)) << text;
        return line();
    }
    // Sends lines that must all succeed.
    void ok(std::initializer_list<std::string> lines) {
        for (const std::string &text : lines) EXPECT_EQ(say(text), "GS_OK") << text;
    }
    // Creates the event and returns its handle.
    std::string create_and_export() {
        ok({"create"});
        const std::string answer = say("export");
        EXPECT_EQ(answer.substr(0, 6), "GS_OK ") << answer;
        return answer.substr(6);
    }
    void ask(const std::string &text) { EXPECT_TRUE(child_.send(text)); } // the reply comes later
    std::string line() {
        std::string text;
        return child_.read_line(&text) ? text : "(no answer)";
    }
    void end() {
        child_.send("exit");
        const Outcome outcome = child_.wait();
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
    }
    void kill() {
        child_.kill(SIGKILL);
        EXPECT_EQ(child_.wait().signal, SIGKILL);
    }

private:
    Child child_;
};

// The usual two: b has opened the event that a exports.
struct TwoPeers {
    SharedFolder folder;
    Peer a{folder}, b{folder};
    const std::string handle = a.create_and_export();

    TwoPeers() { b.ok({"open " + handle}); }
    void end() {
        b.end();
        a.end();
    }
};

} // namespace gs::test
