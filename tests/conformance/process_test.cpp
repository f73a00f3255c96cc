// SPDX-License-Identifier: Apache-2.0
// Fork, exit, and events between processes.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

std::string to_hex(const gs_ipc_handle_t &handle) {
    std::string text;
    for (const unsigned char byte : handle.data) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

gs_ipc_handle_t from_hex(const char *text) {
    gs_ipc_handle_t handle{};
    for (size_t i = 0; i < sizeof handle.data; ++i)
        handle.data[i] = static_cast<unsigned char>(std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
    return handle;
}

// Numbers that the two processes exchange.
struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() { EXPECT_EQ(pipe(ends), 0); }
    ~Pipe() {
        close(ends[0]);
        close(ends[1]);
    }
};

void tell(int fd) { EXPECT_EQ(write(fd, "x", 1), 1); }
void hear(int fd) {
    char byte = 0;
    EXPECT_EQ(read(fd, &byte, 1), 1) << "the other process is gone";
}

} // namespace

TEST_P(ConformanceProcess, Case19_EventsBetweenProcesses) {
    ROWS("B6 B14 B15 B16");
    if (const char *hex = std::getenv("GS_TEST_IPC")) { // the importer
        const int in = std::atoi(std::getenv("GS_TEST_IN")), out = std::atoi(std::getenv("GS_TEST_OUT"));
        const gs_ipc_handle_t handle = from_hex(hex);
        gs_event_t opened = nullptr;
        ASSERT_OK(gs_event_ipc_open(0, &handle, &opened));
        Event event(opened);
        uint32_t flags = 0;
        flags = facts_of(event).flags;
        EXPECT_EQ(flags, uint32_t{GS_EVENT_INTERPROCESS});
        EXPECT_FALSE(done(event.get())) << "pending in the exporter";
        Stream stream = make_stream(0), other = make_stream(device_count() - 1);
        Bytes bytes(1);
        ASSERT_OK(gs_event_wait(event, stream));
        ASSERT_OK(gs_event_wait(event, other));
        bytes.set(stream, 0, 1);
        EXPECT_FALSE(done(stream.get()));
        EXPECT_FALSE(done(other.get()));
        tell(out); // the exporter opens its gate
        EXPECT_OK(gs_event_synchronize(event));
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_OK(gs_stream_synchronize(other));
        EXPECT_EQ(bytes[0], 1);
        EXPECT_TRUE(done(event.get()));
        tell(out); // it records again
        hear(in);
        EXPECT_FALSE(done(event.get())) << "the new record is pending";
        tell(out);
        EXPECT_OK(gs_event_synchronize(event));
        gs_ipc_handle_t again{};
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_event_ipc_export(event, &again));
        return;
    }
    Event event = make_event(GS_EVENT_INTERPROCESS);
    gs_ipc_handle_t handle{};
    ASSERT_OK(gs_event_ipc_export(event, &handle));
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_event_device(event, &device));
    EXPECT_EQ(device, 0) << "the export binds it to the current device";
    EXPECT_TRUE(done(event.get()));
    gs_event_t same = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_event_ipc_open(0, &handle, &same)) << "in the exporting process";
    Stream stream = make_stream(0);
    Gate first, second;
    ASSERT_OK(first.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    Pipe to_child, to_parent;
    ChildResult child;
    std::thread runner([&] {
        const std::string name =
            std::string("ConformanceProcess.Case19_EventsBetweenProcesses/") + backend_name(GetParam());
        child = run_self(name, {{"GS_TEST_IPC", to_hex(handle)},
                                {"GS_TEST_IN", std::to_string(to_child.ends[0])},
                                {"GS_TEST_OUT", std::to_string(to_parent.ends[1])}});
        tell(to_parent.ends[1]), tell(to_parent.ends[1]),
            tell(to_parent.ends[1]); // a child that failed early sends nothing more
    });
    hear(to_parent.ends[0]);
    first.open();
    hear(to_parent.ends[0]);
    EXPECT_OK(second.hold(stream));
    EXPECT_OK(gs_event_record(event, stream));
    tell(to_child.ends[1]);
    hear(to_parent.ends[0]);
    second.open();
    runner.join();
    EXPECT_TRUE(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0) << child.output;
}

TEST_P(ConformanceProcess, Case19_BadHandles) {
    gs_event_t opened = nullptr;
    gs_ipc_handle_t handle{};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_open, "", 0, &handle, &opened);
    EXPECT_EQ(opened, nullptr);
    for (unsigned char &byte : handle.data) byte = 0xA5;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_open(0, &handle, &opened));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_open, "handle", 0, nullptr, &opened);
    Event plain = make_event();
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_export, "INTERPROCESS", plain, &handle);
}

TEST_P(ConformanceProcess, Case20_ForkedChildIsRefused) {
    ROWS("E5 E8");
    OWN_PROCESS();
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_synchronize(event));
    const pid_t child = fork();
    if (child == 0) {
        int32_t number = 1;
        gs_stream_t none = nullptr;
        EXPECT_FAILS(GS_ERROR_BAD_FORK, gs_stream_create, "forked", 0, 0, 0, &none);
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_event_query(event, &number)) << "on elided paths as well";
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_event_wait(event, stream));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_current_stream(0, &none));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_init());
        EXPECT_OK(gs_is_initialized(&number));
        EXPECT_EQ(number, 0);
        EXPECT_OK(gs_fork_status(&number));
        EXPECT_EQ(number, GS_FORK_CHILD_OF_INITIALIZED);
        EXPECT_OK(gs_is_available(&number));
        EXPECT_OK(gs_device_count(GS_BACKEND_DEFAULT, &number));
        EXPECT_GE(number, 1);
        EXPECT_OK(gs_default_backend(&number));
        EXPECT_OK(gs_stream_destroy(stream));
        EXPECT_OK(gs_event_destroy(event));
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    int32_t number = 1;
    EXPECT_OK(gs_fork_status(&number));
    EXPECT_EQ(number, GS_FORK_CLEAN) << "the parent is not affected";
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_synchronize(event));
}

TEST_P(ConformanceProcess, Init_Case20_ForkBeforeTheFirstUse) {
    ROWS("E16 F-8");
    OWN_PROCESS();
    int32_t number = 0;
    EXPECT_OK(gs_is_available(&number)); // after neither of these a fork is unsafe
    EXPECT_OK(gs_device_count(GS_BACKEND_DEFAULT, &number));
    const pid_t child = fork();
    if (child == 0) {
        {
            Stream stream = make_stream();
            EXPECT_OK(gs_stream_sleep(stream, 10));
            EXPECT_OK(gs_stream_synchronize(stream));
            EXPECT_OK(gs_fork_status(&number));
            EXPECT_EQ(number, GS_FORK_CLEAN);
        }
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    Stream stream = make_stream();
    EXPECT_OK(gs_stream_synchronize(stream));
}

namespace {

// The program ends while `held` is pending: another stream waits for it, a notification is due, a thread blocks.
[[noreturn]] void exit_with_work_behind(gs_stream_t held) {
    const gs_event_t event = make_event().release();
    EXPECT_OK(gs_event_record(event, held));
    EXPECT_OK(gs_stream_wait_event(make_stream().release(), event));
    EXPECT_OK(gs_stream_notify(held, [](void *, gs_status_t) {}, nullptr));
    EXPECT_FALSE(done(event));
    std::thread([event] { (void)gs_event_synchronize(event); }).detach();
    std::exit(::testing::Test::HasFailure() ? 1 : 42); // static destructors run, threads are alive, work is pending
}

void expect_a_clean_exit(const std::string &test) {
    const ChildResult child = run_self(test, {{"GS_TEST_EXIT", "1"}});
    EXPECT_FALSE(child.timed_out) << child.output;
    EXPECT_TRUE(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 42) << child.status << "\n" << child.output;
}

} // namespace

TEST_P(ConformanceProcess, Case21_ExitWithPendingWork) {
    if (std::getenv("GS_TEST_EXIT")) {
        const gs_stream_t held = make_stream().release();
        // However slow the process is. A GPU's driver waits for it.
        EXPECT_OK(gs_stream_sleep(held, on_gpu() ? 500'000'000 : 3'600'000'000'000));
        exit_with_work_behind(held);
    }
    expect_a_clean_exit("ConformanceProcess.Case21_ExitWithPendingWork/" + std::string(backend_name(GetParam())));
}

TEST_P(HostConformanceProcess, Case21_ExitWithEndlessWork) {
    if (std::getenv("GS_TEST_EXIT")) { // a CUDA driver would wait for its host functions
        static Gate *const never_opened = new Gate;
        const gs_stream_t held = make_stream().release();
        EXPECT_OK(never_opened->hold(held));
        EXPECT_OK(gs_stream_sleep(make_stream().release(), 3'600'000'000'000));
        exit_with_work_behind(held);
    }
    expect_a_clean_exit("HostConformanceProcess.Case21_ExitWithEndlessWork/host");
}

} // namespace gs::test
