// SPDX-License-Identifier: Apache-2.0
// Ranges, marks and names as a tool of NVTX hears them. The tool is loaded once, so each case is a process of its own.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/objects.hpp"
#include "support/own_process.hpp"
#include "support/status_matchers.hpp"

namespace gs::check::test {
namespace {

using gs::test::Environment;
using gs::test::Event;
using gs::test::make_event;
using gs::test::make_stream;
using gs::test::Stream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The tool's file; the child finds it by the variable.
class ToolLog {
public:
    ToolLog() {
        if (const char *path = getenv("FAKE_NVTX_LOG")) {
            path_ = path;
            return;
        }
        char made[] = "/tmp/gpustream-nvtx-XXXXXX";
        const int file = mkstemp(made);
        EXPECT_GE(file, 0);
        close(file);
        path_ = made;
        is_mine_ = true;
    }
    ~ToolLog() {
        if (is_mine_) unlink(path_.c_str());
    }
    ToolLog(const ToolLog &) = delete;
    ToolLog &operator=(const ToolLog &) = delete;

    Environment with(const Environment &more = {}) const {
        Environment all{{"FAKE_NVTX_LOG", path_}, {"NVTX_INJECTION64_PATH", FAKE_NVTX_PATH}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::ifstream file(path_);
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }

private:
    std::string path_;
    bool is_mine_ = false;
};

std::string numbered(const char *what, uintptr_t number, const char *text) {
    std::ostringstream line;
    line << what << " " << number << " " << text;
    return line.str();
}

TEST(Nvtx, HearsRangesAndMarks) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    uint64_t range = 0;
    const std::string longest(3000, 'n');
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_range_push("\xFF not UTF-8"));
    ASSERT_OK(gs_mark("first chunk"));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_pop());
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
    ASSERT_OK(gs_range_start("epoch", &range));
    std::thread([&] { EXPECT_OK(gs_range_end(range)); }).join();
    EXPECT_EQ(gs_range_end(range), GS_ERROR_SCOPE);
    ASSERT_OK(gs_mark(longest.c_str()));
    ASSERT_OK(gs_mark(""));
    EXPECT_THAT(log.lines(),
                ElementsAre("started 0 ", "push 0 step", "push 1 \xFF not UTF-8", "mark 0 first chunk", "pop 0 ",
                            "pop 0 ", "start 7001 epoch", "end 7001 ", "mark 0 " + longest, "mark 0 "));
}

// What is refused is not told.
TEST(Nvtx, HearsNothingOfFailures) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    EXPECT_EQ(gs_range_push(nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(gs_mark(nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
    EXPECT_EQ(gs_range_start("x", nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(gs_range_end(12345), GS_ERROR_SCOPE);
    EXPECT_THAT(log.lines(), IsEmpty());
}

// Those of the host backend are no streams of CUDA, and the default stream is the same word on each device.
TEST(Nvtx, HearsNamesOfTheDriversObjects) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    Stream stream = make_stream(0);
    Event event = make_event();
    gs_stream_t usual = nullptr;
    uintptr_t of_stream = 0, of_event = 0;
    ASSERT_OK(gs_mark("here"));
    ASSERT_OK(gs_default_stream(0, &usual));
    ASSERT_OK(gs_stream_set_name(usual, "default"));
    ASSERT_OK(gs_stream_set_name(stream, "upload\n"));
    ASSERT_OK(gs_event_set_name(event, "not recorded yet"));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_set_name(event, "uploaded"));
    ASSERT_OK(gs_stream_native(stream, &of_stream));
    ASSERT_OK(gs_event_native(event, &of_event));
    EXPECT_EQ(gs_stream_set_name(nullptr, "nothing"), GS_ERROR_INVALID_HANDLE);
    if (std::string(getenv("GPUSTREAM_BACKEND")) == "cuda")
        EXPECT_THAT(log.lines(), ElementsAre("started 0 ", "mark 0 here", numbered("stream", of_stream, "upload?"),
                                             numbered("event", of_event, "not recorded yet"),
                                             numbered("event", of_event, "uploaded")));
    else
        EXPECT_THAT(log.lines(), ElementsAre("started 0 ", "mark 0 here"));
}

// The driver's event is there from the first record on: the tool gets the latest name then, once, whatever recorded it.
TEST(Nvtx, HearsNamesOfEventsThatWereNotRecordedYet) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    const Stream stream = make_stream(0);
    const Event named = make_event(), renamed = make_event(), unnamed = make_event(), elsewhere = make_event();
    Event ended = make_event();
    uintptr_t of_named = 0, of_renamed = 0, of_elsewhere = 0;
    ASSERT_OK(gs_event_set_name(named, "named"));
    ASSERT_OK(gs_event_set_name(renamed, "first name"));
    ASSERT_OK(gs_event_set_name(renamed, "second name"));
    ASSERT_OK(gs_event_set_name(unnamed, "taken back"));
    ASSERT_OK(gs_event_set_name(unnamed, nullptr));
    ASSERT_OK(gs_event_set_name(elsewhere, "elsewhere"));
    ASSERT_OK(gs_event_set_name(ended, "ended"));
    EXPECT_THAT(log.lines(), ElementsAre("started 0 "));
    ended.reset();
    ASSERT_OK(gs_event_record(renamed, stream));
    ASSERT_OK(gs_event_record(renamed, stream));
    ASSERT_OK(gs_event_record(named, stream));
    ASSERT_OK(gs_event_record(unnamed, stream));
    std::thread([&] { EXPECT_OK(gs_event_record(elsewhere, stream)); }).join();
    for (const Event &later : {make_event(), make_event()}) ASSERT_OK(gs_event_record(later, stream));
    ASSERT_OK(gs_event_native(named, &of_named));
    ASSERT_OK(gs_event_native(renamed, &of_renamed));
    ASSERT_OK(gs_event_native(elsewhere, &of_elsewhere));
    if (std::string(getenv("GPUSTREAM_BACKEND")) == "cuda")
        EXPECT_THAT(log.lines(),
                    ElementsAre("started 0 ", numbered("event", of_renamed, "second name"),
                                numbered("event", of_named, "named"), numbered("event", of_elsewhere, "elsewhere")));
    else
        EXPECT_THAT(log.lines(), ElementsAre("started 0 "));
}

// The protocol has no names of graphs, so a launch of one that has a name is in a range.
TEST(Nvtx, HearsNamesOfGraphsAroundTheirLaunches) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    const Stream stream = make_stream(0);
    gs_graph_t graph = nullptr;
    gs_graph_exec_t unnamed = nullptr, named = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &unnamed));
    ASSERT_OK(gs_graph_exec_launch(unnamed, stream));
    ASSERT_OK(gs_graph_set_name(graph, "decode"));
    EXPECT_THAT(log.lines(), IsEmpty());
    ASSERT_OK(gs_graph_instantiate(graph, 0, &named));
    ASSERT_OK(gs_graph_destroy(graph));
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_graph_exec_launch(named, stream));
    ASSERT_OK(gs_graph_exec_launch(unnamed, stream));
    std::thread([&] { EXPECT_OK(gs_graph_exec_launch(named, stream)); }).join();
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_graph_exec_destroy(named));
    ASSERT_OK(gs_graph_exec_destroy(unnamed));
    EXPECT_THAT(log.lines(), ElementsAre("started 0 ", "push 0 step", "push 1 decode", "pop 0 ", "push 1 decode",
                                         "pop 0 ", "pop 0 "));
}

// The tool is loaded by the first call that it would hear of, long after streams and events were made and used.
TEST(Nvtx, ToolsThatComeLateHearNamesFromThenOn) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    const bool is_cuda = std::string(getenv("GPUSTREAM_BACKEND")) == "cuda";
    const Stream upload = make_stream(0), compute = make_stream(0);
    const Event event = make_event();
    uintptr_t of_upload = 0, of_event = 0, of_later = 0;
    ASSERT_OK(gs_event_record(event, upload));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(gs_stream_synchronize(compute));
    EXPECT_THAT(log.lines(), IsEmpty());
    ASSERT_OK(gs_stream_set_name(upload, "upload"));
    std::thread([&] { EXPECT_OK(gs_event_set_name(event, "uploaded")); }).join();
    const Stream later = make_stream(0);
    ASSERT_OK(gs_stream_set_name(later, "later"));
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_stream_native(upload, &of_upload));
    ASSERT_OK(gs_event_native(event, &of_event));
    ASSERT_OK(gs_stream_native(later, &of_later));
    if (is_cuda)
        EXPECT_THAT(log.lines(), ElementsAre("started 0 ", numbered("stream", of_upload, "upload"),
                                             numbered("event", of_event, "uploaded"),
                                             numbered("stream", of_later, "later"), "push 0 step", "pop 0 "));
    else
        EXPECT_THAT(log.lines(), ElementsAre("started 0 ", "push 0 step", "pop 0 "));
}

TEST(Nvtx, ToolsThatDoNotStartAreLeftOut) {
    const ToolLog log;
    OWN_PROCESS(log.with({{"FAKE_NVTX", "refuse"}}));
    ::testing::internal::CaptureStderr();
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_range_pop());
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the tool does not start"));
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST(Nvtx, ToolsMayListenToNothing) {
    const ToolLog log;
    OWN_PROCESS(log.with({{"FAKE_NVTX", "deaf"}}));
    uint64_t range = 0;
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_mark("now"));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_start("epoch", &range));
    ASSERT_OK(gs_range_end(range));
}

void expect_warning(const char *path, const char *text) {
    OWN_PROCESS({{"NVTX_INJECTION64_PATH", path}});
    ::testing::internal::CaptureStderr();
    ASSERT_OK(gs_mark("first"));
    ASSERT_OK(gs_mark("second"));
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("NVTX_INJECTION64_PATH"));
    EXPECT_THAT(said, HasSubstr(text));
    EXPECT_EQ(said.find("NVTX_INJECTION64_PATH", said.find("NVTX_INJECTION64_PATH") + 1), std::string::npos) << said;
}
TEST(Nvtx, FilesThatAreMissing) { expect_warning("/nowhere/libtool.so", "/nowhere/libtool.so"); }
TEST(Nvtx, LibrariesThatAreNoTool) { expect_warning("libm.so.6", "it is no tool of NVTX"); }

TEST(Nvtx, ThreadsThatAskTogetherStartOneTool) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    constexpr int kThreads = 8;
    std::thread threads[kThreads];
    for (std::thread &one : threads)
        one = std::thread([] {
            for (int i = 0; i < 100; ++i) EXPECT_OK(gs_mark("m"));
        });
    for (std::thread &one : threads) one.join();
    const std::vector<std::string> lines = log.lines();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "started 0 "), 1);
    ASSERT_OK(gs_mark("last"));
    EXPECT_EQ(log.lines().back(), "mark 0 last");
}

// A child of a process that has used no device goes on with the tool, as any code that uses NVTX does.
TEST(Nvtx, ForkedChildrenTellTheSameTool) {
    const ToolLog log;
    OWN_PROCESS(log.with());
    ASSERT_OK(gs_range_push("parent"));
    const pid_t child = fork();
    if (child == 0)
        _exit(gs_mark("child") == GS_OK && gs_range_pop() == GS_OK && gs_range_pop() == GS_ERROR_SCOPE ? 0 : 1);
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_OK(gs_range_pop());
    EXPECT_THAT(log.lines(), ElementsAre("started 0 ", "push 0 parent", "mark 0 child", "pop 0 ", "pop 0 "));
}

} // namespace
} // namespace gs::check::test
