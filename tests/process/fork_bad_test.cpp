// SPDX-License-Identifier: Apache-2.0
// A child forked from a process that had started a backend (case 20). Device calls are rejected, destroys do nothing, other
// calls work, and the parent goes on.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "calls/calls.hpp"
#include "support/child_process.hpp"
#include "support/objects.hpp"

namespace gs::test {
namespace {

bool refused_as_it_should(const Call &call, gs_status_t got) {
    if (call.in_bad_fork != InBadFork::Refused) return got == GS_OK;
    if (got != GS_ERROR_BAD_FORK) return false;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    return gs_last_error(&error) == GS_OK && error.status == GS_ERROR_BAD_FORK &&
           std::strcmp(error.function, call.name) == 0 && std::strstr(error.message, "fork") != nullptr;
}

// Returns how many calls had a wrong result, and prints each on stderr.
int call_everything(const Objects &objects) {
    int wrong = 0;
    for (const Call &call : every_call()) {
        const gs_status_t got = call.call(objects);
        if (refused_as_it_should(call, got)) continue;
        std::fprintf(stderr, "%s gave %s\n", call.name, gs_status_name(got));
        ++wrong;
    }
    return std::min(wrong, 80);
}

void expect_alive(Objects &o) {
    int32_t status = -1;
    EXPECT_OK(gs_fork_status(&status));
    EXPECT_EQ(status, GS_FORK_CLEAN);
    EXPECT_OK(gs_event_record(o.event, o.stream));
    EXPECT_OK(gs_stream_wait_event(o.recorder, o.event));
    EXPECT_OK(gs_stream_synchronize(o.recorder));
    EXPECT_TRUE(done(o.event));
}

TEST(BadFork, EveryCallAnswersAsDocumented) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([&] { return call_everything(o); });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    expect_alive(o);
    destroy_objects(o);
}

// The check above can fail: in a healthy process device calls are not rejected.
TEST(BadFork, TheCheckFailsInAHealthyProcess) {
    Objects o = make_objects();
    const Call &query = *std::find_if(every_call().begin(), every_call().end(),
                                      [](const Call &call) { return std::strcmp(call.name, "gs_stream_query") == 0; });
    EXPECT_FALSE(refused_as_it_should(query, query.call(o)));
    destroy_objects(o);
}

TEST(BadFork, TheChildKnowsWhatItIs) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([] {
        int32_t value = -1;
        CHILD_REQUIRE(gs_fork_status(&value) == GS_OK && value == GS_FORK_CHILD_OF_INITIALIZED);
        CHILD_REQUIRE(gs_is_initialized(&value) == GS_OK && value == 0);
        CHILD_REQUIRE(gs_device_count(GS_BACKEND_HOST, &value) == GS_OK && value == 2);
        gs_backend_t backend = 0;
        CHILD_REQUIRE(gs_default_backend(&backend) == GS_OK && backend == GS_BACKEND_HOST);
        return 0;
    });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    expect_alive(o);
    destroy_objects(o);
}

TEST(BadFork, OutputsAreZeroedAlsoWhenRefused) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([&] {
        gs_stream_t stream = o.stream;
        int32_t flag = 7;
        CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_ERROR_BAD_FORK && stream == nullptr);
        CHILD_REQUIRE(gs_event_query(o.event, &flag) == GS_ERROR_BAD_FORK && flag == 0);
        return 0;
    });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    destroy_objects(o);
}

#if !defined(__SANITIZE_THREAD__) // which takes a thread of the child for one of the parent's
void *thread_of_the_child(void *objects) {
    CHILD_REQUIRE(call_everything(*static_cast<const Objects *>(objects)) == 0);
    return nullptr;
}

TEST(BadFork, ThreadsStartedInTheChild) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([&] {
        pthread_t threads[4];
        for (pthread_t &thread : threads) CHILD_REQUIRE(pthread_create(&thread, nullptr, thread_of_the_child, &o) == 0);
        for (pthread_t thread : threads) CHILD_REQUIRE(pthread_join(thread, nullptr) == 0);
        return call_everything(o);
    });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    destroy_objects(o);
}
#endif

TEST(BadFork, AGrandchildIsABadForkToo) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([&] { return run_forked([&] { return call_everything(o); }).clean() ? 0 : 1; });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    destroy_objects(o);
}

// exit() runs handlers, static destructors and thread-exit hooks in the child, which has none of the library's threads.
TEST(BadFork, TheChildExitsThroughExit) {
    Objects o = make_objects();
    const Outcome outcome = run_forked([]() -> int {
        std::fclose(stdin);
        exit(0);
    });
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    expect_alive(o);
    destroy_objects(o);
}

TEST(BadFork, AProgramStartedByExecIsHealthy) {
    Objects o = make_objects();
    const Outcome outcome = run_self_as("works");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    destroy_objects(o);
}

} // namespace
} // namespace gs::test
