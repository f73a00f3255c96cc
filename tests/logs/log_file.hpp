// SPDX-License-Identifier: Apache-2.0
// Processes that keep their log in a file. Forked children use the library, this process only reads.
#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "dumps/dumped.hpp"
#include "support/child_process.hpp"

namespace gs::check::test {

namespace fs = std::filesystem;

class LogFile : public ::testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/gpustream-log-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string path(const std::string &name) const { return (directory_ / name).string(); }
    // A child with the log in that file; body does not return unless it is to exit.
    gs::test::Outcome logged(const std::string &file, const std::function<void()> &body) const {
        return gs::test::run_forked([&] {
            setenv("GPUSTREAM_LOG_FILE", file.c_str(), 1);
            setenv("GPUSTREAM_LOG", "32", 1);
            body();
            return ::testing::Test::HasFailure() ? 1 : 0;
        });
    }

    fs::path directory_;
};

inline std::string read_log(const std::string &path, gs_status_t expected = GS_OK) {
    const TextFile text;
    EXPECT_EQ(gs_dump_log(path.c_str(), text.fd()), expected);
    return text.text();
}

// What hangs: compute waits for upload, which waits for a signal that never comes.
struct Hang {
    Stream upload = named_stream("upload"), compute = named_stream("compute");
    Event uploaded = named_event("uploaded");
    Timeline filled = make_timeline();

    Hang() {
        EXPECT_OK(gs_stream_wait_timeline(upload, filled, 2));
        EXPECT_OK(gs_event_record(uploaded, upload));
        std::thread([&] { EXPECT_OK(gs_stream_wait_event(compute, uploaded)); }).join();
        EXPECT_OK(gs_timeline_signal(filled, 1));
    }
    void end() {
        EXPECT_OK(gs_timeline_signal(filled, 2));
        EXPECT_OK(gs_stream_synchronize(compute));
    }
};
inline const std::string kExplained =
    "stream  (\"compute\") may wait for event  (\"uploaded\"), recorded in stream  (\"upload\"), which may wait for "
    "timeline  to reach 2 (it is at 1), and nothing in the log signals that";

} // namespace gs::check::test
