// SPDX-License-Identifier: Apache-2.0
// Traces: bad calls, functions that call back, forks; the function that hears of operations.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"
#include "support/own_process.hpp"
#include "traces/traced.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

// Events of an earlier trace are released, and its open ranges end without one.
TEST(Trace, StartsAgainInsideARange) {
    const StopAtEnd end;
    gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
    for (int i = 0; i < 3; ++i) {
        ASSERT_OK(start_trace(&timed));
        ASSERT_OK(gs_range_push("kept open"));
        ASSERT_OK(stop_trace());
    }
    ASSERT_OK(start_trace(&timed));
    for (int i = 0; i < 3; ++i) ASSERT_OK(gs_range_pop());
    EXPECT_TRUE(lines_with(written(), {"kept open"}).empty());
}

// Ranges begin and end whatever the driver does; those that could not be timed are counted.
TEST(Trace, TimesNothingWithADriverThatFails) {
    const bool fails = std::string(getenv("GPUSTREAM_BACKEND")) == "cuda"; // the host backend has no driver that could
    // The last one when the clocks are compared again, at the end.
    for (const char *function : {"cuEventCreate", "cuEventRecord", "cuEventElapsedTime_v2", "cuEventSynchronize"}) {
        const StopAtEnd end;
        gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
        fake_cuda_fault_t fault{};
        fault.function = function;
        fault.nth = 1;
        fault.code = 2; // CUDA_ERROR_OUT_OF_MEMORY
        fault.mode = FAKE_CUDA_PERSISTENT;
        ASSERT_OK(gs_trim()); // no event is left in a pool
        ASSERT_OK(start_trace(&timed));
        if (fails) gs::test::driver_symbol<decltype(&fake_cuda_inject)>("fake_cuda_inject")(&fault);
        EXPECT_OK(gs_range_push("step"));
        EXPECT_OK(gs_range_pop());
        const std::string text = written();
        if (fails) gs::test::driver_symbol<decltype(&fake_cuda_clear_fault)>("fake_cuda_clear_fault")();
        EXPECT_EQ(number_in(text, "ranges_not_timed"), fails ? 1 : 0) << function;
        EXPECT_EQ(lines_with(text, {"gpu_user_annotation"}).empty(), fails) << function;
        EXPECT_EQ(lines_with(text, {"user_annotation", "\"step\""}).size(), fails ? 1u : 2u) << function;
    }
}

TEST(Trace, RefusesBadCalls) {
    OWN_PROCESS();
    EXPECT_EQ(gs_trace_write(0, nullptr, nullptr), GS_ERROR_INVALID_ARGUMENT);
    std::string text;
    EXPECT_EQ(gs_trace_write(0, append, &text), GS_ERROR_NOT_RECORDED);
    gs_trace_options_t wrong = options(2);
    EXPECT_EQ(start_trace(&wrong), GS_ERROR_INVALID_ARGUMENT);
    wrong = options(0, (1u << 20) + 1);
    EXPECT_EQ(start_trace(&wrong), GS_ERROR_INVALID_ARGUMENT);
    wrong = options();
    wrong.struct_size = 3;
    EXPECT_EQ(start_trace(&wrong), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(gs_trace_write(0, append, &text), GS_ERROR_NOT_RECORDED) << "none of them has started one";
    ASSERT_OK(start_trace());
    EXPECT_EQ(start_trace(), GS_ERROR_NOT_PERMITTED);
    ASSERT_OK(gs_mark("it goes on"));
    ASSERT_OK(gs_trace_write(0, append, &text));
    EXPECT_THAT(text, HasSubstr("it goes on"));
    int32_t previous = 0;
    ASSERT_OK(gs_forbid_sync(1, &previous));
    EXPECT_EQ(gs_trace_write(0, append, &text), GS_ERROR_SYNC_FORBIDDEN);
    ASSERT_OK(gs_forbid_sync(0, &previous));
}

TEST(Trace, EndsWithTheFunctionThatWrites) {
    const StopAtEnd end;
    ASSERT_OK(start_trace());
    for (int i = 0; i < 5000; ++i) ASSERT_OK(gs_mark("fills more than one piece"));
    int pieces = 0;
    EXPECT_EQ(gs_trace_write(
                  0,
                  [](void *count, const char *, size_t) -> gs_status_t {
                      return ++*static_cast<int *>(count) == 2 ? GS_ERROR_SYSTEM : GS_OK;
                  },
                  &pieces),
              GS_ERROR_SYSTEM);
    EXPECT_EQ(pieces, 2);
    // It may use the library, and stop the trace that it writes.
    pieces = 0;
    ASSERT_OK(gs_trace_write(
        g_trace,
        [](void *count, const char *, size_t) -> gs_status_t {
            ++*static_cast<int *>(count);
            const Stream stream = make_stream(0);
            EXPECT_OK(gs_stream_synchronize(stream));
            const gs_status_t stopped = stop_trace();
            return stopped == GS_ERROR_SCOPE ? GS_OK : stopped; // after the first piece it does not run
        },
        &pieces));
    EXPECT_GT(pieces, 2);
}

struct Heard {
    std::vector<int32_t> kinds;
    std::vector<std::string> texts;
    std::vector<uint64_t> streams;
    gs_status_t device_call = GS_OK;
};

TEST(Trace, CallsTheFunctionOfTools) {
    const StopAtEnd end;
    const Stream stream = make_stream(0);
    const Event event = make_event();
    Heard heard;
    ASSERT_OK(gs_set_trace_callback(
        [](void *arg, int32_t kind, uint64_t of, uint64_t, uint64_t, const char *text) {
            auto *all = static_cast<Heard *>(arg);
            all->kinds.push_back(kind);
            all->texts.emplace_back(text ? text : "-");
            all->streams.push_back(of);
            EXPECT_OK(gs_mark("of the function itself"));
            gs_stream_t made = nullptr;
            all->device_call = gs_stream_create(0, 0, 0, &made);
        },
        &heard));
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_sleep(stream, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_set_trace_callback(nullptr, nullptr));
    ASSERT_OK(gs_mark("not heard"));
    EXPECT_THAT(heard.kinds, ::testing::ElementsAre(GS_TRACED_RANGE_PUSH, GS_TRACED_RECORD, GS_TRACED_WORK,
                                                    GS_TRACED_STREAM_DONE, GS_TRACED_RANGE_POP));
    EXPECT_THAT(heard.texts, ::testing::ElementsAre("step", "-", "-", "-", "-"));
    const auto number = reinterpret_cast<uint64_t>(static_cast<gs_stream_t>(stream));
    EXPECT_THAT(heard.streams, ::testing::ElementsAre(0u, number, number, number, 0u));
    EXPECT_EQ(heard.device_call, GS_ERROR_NOT_PERMITTED);
}

struct Told {
    int32_t kind;
    uint64_t stream, object;
    bool operator==(const Told &) const = default;
};
void PrintTo(const Told &one, std::ostream *out) { *out << one.kind << " " << one.stream << " " << one.object; }

template <typename Handle>
uint64_t number_of(const Handle &handle) {
    return reinterpret_cast<uint64_t>(handle.get());
}

// A tool comes when this thread and another one have streams, records and open ranges. It hears what is submitted from then on,
// with the handles that those have. A trace that starts late has their names.
TEST(Trace, ToolsThatComeLate) {
    const StopAtEnd end;
    const Stream upload = make_stream(0), compute = make_stream(0);
    const Event ready = make_event(), late = make_event();
    ASSERT_OK(gs_stream_set_name(upload, "upload of before"));
    ASSERT_OK(gs_stream_set_name(compute, "compute of before"));
    ASSERT_OK(gs_range_push("open before"));
    ASSERT_OK(gs_stream_sleep(upload, 1));
    ASSERT_OK(gs_event_record(ready, upload));
    std::atomic<int> step{0};
    std::thread other([&] {
        EXPECT_OK(gs_event_record(late, upload));
        step = 1;
        while (step != 2) std::this_thread::yield();
        EXPECT_OK(gs_event_record(late, compute));
    });
    while (step != 1) std::this_thread::yield();
    std::vector<Told> told;
    const auto hear = [](void *arg, int32_t kind, uint64_t stream, uint64_t object, uint64_t, const char *) {
        static_cast<std::vector<Told> *>(arg)->push_back({kind, stream, object});
    };
    ASSERT_OK(gs_set_trace_callback(hear, &told));
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_stream_wait_event(compute, ready));
    step = 2;
    other.join();
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_set_trace_callback(nullptr, nullptr));
    EXPECT_THAT(told, ::testing::ElementsAre(Told{GS_TRACED_WAIT, number_of(compute), number_of(ready)},
                                             Told{GS_TRACED_RECORD, number_of(compute), number_of(late)},
                                             Told{GS_TRACED_RANGE_POP, 0, 0}));
    const std::string text = written();
    EXPECT_EQ(lines_with(text, {"thread_name", "compute of before"}).size(), 1u) << text;
    EXPECT_EQ(lines_with(text, {"cuda_sync", "Stream Wait Event"}).size(), 1u) << text;
    EXPECT_TRUE(lines_with(text, {"open before"}).empty()) << text; // its beginning was not seen
    EXPECT_OK(gs_stream_synchronize(compute));
}

// Two parts of a process that each begin a trace: each ends its own.
TEST(Trace, EndsByItsNumber) {
    const StopAtEnd end;
    uint64_t first = 0, second = 7;
    EXPECT_EQ(gs_trace_begin(nullptr, nullptr), GS_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(gs_trace_begin(nullptr, &first));
    EXPECT_EQ(gs_trace_begin(nullptr, &second), GS_ERROR_NOT_PERMITTED);
    EXPECT_EQ(second, 0u);
    ASSERT_OK(gs_trace_end(first));
    EXPECT_EQ(gs_trace_end(first), GS_ERROR_SCOPE) << "it has ended";
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_mark("of the other part"));
    EXPECT_EQ(gs_trace_end(first), GS_ERROR_SCOPE);
    EXPECT_EQ(gs_trace_end(0), GS_ERROR_SCOPE);
    ASSERT_OK(gs_mark("goes on"));
    ASSERT_OK(stop_trace());
    EXPECT_EQ(lines_with(written(), {"goes on"}).size(), 1u);
    ASSERT_OK(gs_trace_begin(nullptr, &second));
    EXPECT_GT(second, first);
    std::thread([&] { EXPECT_OK(gs_trace_end(second)); }).join();
    EXPECT_EQ(gs_trace_end(second), GS_ERROR_SCOPE);
    ASSERT_OK(gs_mark("after it"));
    EXPECT_TRUE(lines_with(written(), {"after it"}).empty());
}

// Two parts of a process that each begin a trace: none has the other one's written as its own.
TEST(Trace, IsWrittenByItsNumber) {
    OWN_PROCESS();
    const StopAtEnd end;
    uint64_t first = 0, second = 0;
    std::string text;
    EXPECT_EQ(gs_trace_write(1, append, &text), GS_ERROR_NOT_RECORDED);
    EXPECT_THAT(gs::test::last_text(), HasSubstr("no trace 1 was started: gs_trace_begin()"));
    ASSERT_OK(gs_trace_begin(nullptr, &first));
    ASSERT_OK(gs_mark("of the first"));
    EXPECT_EQ(lines_with(written(first), {"of the first"}).size(), 1u) << "while it runs";
    ASSERT_OK(gs_trace_end(first));
    EXPECT_EQ(lines_with(written(first), {"of the first"}).size(), 1u) << "after its end";
    EXPECT_EQ(gs_trace_write(first + 1, append, &text), GS_ERROR_NOT_RECORDED) << "it has not begun";
    ASSERT_OK(gs_trace_begin(nullptr, &second));
    ASSERT_OK(gs_mark("of the second"));
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(gs_trace_write(first, append, &text), GS_ERROR_NOT_RECORDED);
        EXPECT_THAT(gs::test::last_text(),
                    HasSubstr("trace 1 is no longer kept: another one was started since; write each "
                              "trace before the next one starts"));
        for (const uint64_t number : {second, uint64_t{0}}) {
            EXPECT_EQ(lines_with(written(number), {"of the second"}).size(), 1u);
            EXPECT_TRUE(lines_with(written(number), {"of the first"}).empty());
        }
        if (round == 0) ASSERT_OK(gs_trace_end(second));
    }
    EXPECT_TRUE(text.empty()) << text;
}

// Before a device is used a fork is healthy, and the child's trace is its own; afterwards the child is refused.
TEST(Trace, AfterAFork) {
    OWN_PROCESS();
    ASSERT_OK(start_trace());
    const pid_t child = fork();
    if (child == 0) {
        std::string text;
        const bool refused = gs_trace_write(0, append, &text) == GS_ERROR_BAD_FORK &&
                             gs_mark("x") == GS_ERROR_BAD_FORK && stop_trace() == GS_ERROR_BAD_FORK;
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(written().empty());
}

} // namespace
} // namespace gs::check::test
