// SPDX-License-Identifier: Apache-2.0
// Processes that share a timeline, driven by lines of text.
#pragma once

#include <thread>

#include "stream_peer.hpp"

namespace gs::test {

class TimelinePeer : public StreamPeer {
public:
    explicit TimelinePeer(const Variables &variables) : StreamPeer("timeline", variables) {}

    std::string handle() {
        const std::string answer = say("export");
        EXPECT_EQ(answer.substr(0, 6), "GS_OK ") << answer;
        return answer.size() > 6 ? answer.substr(6) : "";
    }
    // Of a new timeline, open in the others as well.
    std::string share(std::initializer_list<TimelinePeer *> others) {
        ok({"make"});
        const std::string name = handle();
        for (TimelinePeer *other : others) other->ok({"open " + name});
        return name;
    }
};

class TimelineProcesses : public ::testing::TestWithParam<On> {
protected:
    Variables with(const Variables &more = {}) const { return peer_variables(folder, GetParam(), more); }
    // Files of timelines, beside those of events.
    size_t timeline_files() const {
        size_t count = 0;
        std::error_code gone; // since the folder was read: a process removes it at its own time
        for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
            count += entry.file_size(gone) == 36 * 1024;
        return count;
    }
    // A process that gives a timeline up has a part in it until its signals have happened.
    void expect_no_files_soon() const {
        while (timeline_files() != 0) std::this_thread::yield();
    }
    SharedFolder folder;
};

#if defined(GS_TEST_FAKE_CUDA)
#define GS_ON_BACKENDS(suite)                                                                                          \
    INSTANTIATE_TEST_SUITE_P(Host, suite, ::testing::Values(On::Host));                                                \
    INSTANTIATE_TEST_SUITE_P(FakeCuda, suite, ::testing::Values(On::FakeCuda))
#else
#define GS_ON_BACKENDS(suite) INSTANTIATE_TEST_SUITE_P(Host, suite, ::testing::Values(On::Host))
#endif

} // namespace gs::test
