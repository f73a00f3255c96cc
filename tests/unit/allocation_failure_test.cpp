// SPDX-License-Identifier: Apache-2.0
// Fails the N-th allocation of each scenario, for N = 1, 2, ... until the scenario passes without one failing. Each time
// in a child process: OUT_OF_MEMORY or success, a text that names the function, and afterwards a library that works. Cold:
// nothing has been used before. Warm: the same failure over and over must not cost a block of memory each time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"

namespace gs::test {
namespace {

enum Outcome { kPassed = 0, kNothingFailed = 10, kFailed = 11 };

[[noreturn]] void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
void give_up(const char *format, ...) {
    fail_allocation(0, false);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    _exit(kFailed);
}

gs_error_info_t read_error() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    if (gs_last_error(&info) != GS_OK) give_up("gs_last_error failed");
    return info;
}

void judge(const Scenario &scenario, const Failure &failure) {
    if (failure.status == GS_OK) return;
    if (failure.status != GS_ERROR_OUT_OF_MEMORY)
        give_up("%s: %s gave %s: %s", scenario.name, failure.function, gs_status_name(failure.status),
                read_error().message);
    if (std::strstr(failure.function, "giving back")) give_up("%s: %s needs memory", scenario.name, failure.function);
    // Errors belong to threads: the scenario of the new thread leaves none here.
    if (std::strcmp(scenario.name, "new_thread") == 0) return;
    const gs_error_info_t info = read_error();
    if (info.status != GS_ERROR_OUT_OF_MEMORY)
        give_up("%s: %s left a record with %s", scenario.name, failure.function, gs_status_name(info.status));
    const bool no_thread_state =
        info.function[0] == '\0'; // not even the record could be allocated: the static one answers
    if (!no_thread_state && std::strcmp(info.function, failure.function) != 0)
        give_up("%s: %s failed, the record names %s", scenario.name, failure.function, info.function);
    if (info.message[0] == '\0') give_up("%s: %s left no text", scenario.name, failure.function);
}

// A start that failed is final, also when the cause was memory.
bool start_failed_for_good() {
    int32_t initialized = 0;
    return gs_is_initialized(&initialized) == GS_OK && initialized == 0;
}

enum class Mode { ColdOnce, ColdForGood, Warm };

const char *text_of(Mode mode) {
    return mode == Mode::Warm ? "warm" : mode == Mode::ColdOnce ? "cold, one failure" : "cold, this and all later ones";
}

// Runs the scenario with the n-th allocation failing. True if it came to that.
bool run_failing(const Scenario &scenario, uint64_t n, bool for_good) {
    fail_allocation(n, for_good);
    const Failure failure = scenario.run();
    judge(scenario, failure);
    stop_failing();
    if (failure.status != GS_OK && !allocation_failed())
        give_up("%s: %s is out of memory although nothing failed", scenario.name, failure.function);
    return allocation_failed();
}

void run_clean(const Scenario &scenario, bool failed_before) {
    const Failure failure = scenario.run();
    if (failure.status == GS_ERROR_OUT_OF_MEMORY && failed_before && start_failed_for_good()) _exit(kPassed);
    if (failure.status != GS_OK)
        give_up("%s: not usable afterwards: %s gave %s: %s", scenario.name, failure.function,
                gs_status_name(failure.status), read_error().message);
}

constexpr int kRounds = 64;
constexpr int64_t kSlack = kRounds / 2;

// The blocks that are more after a batch of failures.
int64_t grown_by_failures(const Scenario &scenario, uint64_t n, bool *out_failed) {
    constexpr int kPatience = 500;
    const int64_t before = live_allocations();
    for (int i = 0; i < kRounds; ++i) *out_failed |= run_failing(scenario, n, false);
    run_clean(scenario, false);
    int64_t grown = live_allocations() - before;
    // What threads of the library have still to give back comes in time; what leaks does not.
    for (int i = 0; grown > kSlack && i < kPatience; ++i) {
        usleep(1000);
        run_clean(scenario, false);
        grown = live_allocations() - before;
    }
    return grown;
}

[[noreturn]] void child(const Scenario &scenario, uint64_t n, Mode mode) {
    alarm(60);
    bool failed = false;
    if (mode != Mode::Warm) {
        failed = run_failing(scenario, n, mode == Mode::ColdForGood);
        for (int i = 0; i < 4; ++i) run_clean(scenario, failed);
        _exit(failed ? kPassed : kNothingFailed);
    }
    constexpr int kBatches = 4;
    for (int i = 0; i < kRounds; ++i) run_clean(scenario, false);
    // Pools grow for a while, with the moments at which threads give things back. A leak grows with each batch.
    int64_t grown = kSlack + 1;
    for (int batch = 0; grown > kSlack && batch < kBatches; ++batch) grown = grown_by_failures(scenario, n, &failed);
    if (grown > kSlack)
        give_up("%s: %ld blocks more after each %d failures", scenario.name, static_cast<long>(grown), kRounds);
    _exit(failed ? kPassed : kNothingFailed);
}

// The outcome, or what the child wrote before it ended abnormally.
int run_child(const Scenario &scenario, uint64_t n, Mode mode, std::string *output) {
    int ends[2];
    if (pipe(ends) != 0) return kFailed;
    const pid_t pid = fork(); // before the first use: such a child is healthy
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        child(scenario, n, mode);
    }
    close(ends[1]);
    char buffer[512];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
        output->append(buffer, static_cast<size_t>(count));
    close(ends[0]);
    int status = 0;
    if (waitpid(pid, &status, 0) != pid) return kFailed;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    *output += "ended by signal " + std::to_string(WTERMSIG(status));
    return kFailed;
}

class AllocationFailure : public ::testing::TestWithParam<Scenario> {};

TEST_P(AllocationFailure, EveryOneIsAStatus) {
    setenv("GPUSTREAM_BACKEND", "host", 1);
    constexpr uint64_t kMost = 2000;
    for (const Mode mode : {Mode::ColdOnce, Mode::ColdForGood, Mode::Warm}) {
        uint64_t n = 1;
        for (;; ++n) {
            std::string output;
            const int outcome = run_child(GetParam(), n, mode, &output);
            if (outcome == kNothingFailed) break;
            ASSERT_EQ(outcome, int{kPassed}) << text_of(mode) << ", allocation " << n << "\n" << output;
            ASSERT_LT(n, kMost) << "no end";
        }
        if (mode != Mode::Warm) EXPECT_GT(n, 1u) << "the scenario allocates nothing, so it tests nothing";
        RecordProperty(text_of(mode), static_cast<int>(n - 1));
    }
}

// Defects that the loop must find; otherwise its success would prove nothing.
Failure keeps_a_block() {
    gs_event_t event = nullptr;
    const gs_status_t status = gs_event_create(0, &event);
    [[maybe_unused]] static int *kept[1000]; // reachable for leak checkers, never read
    static int next = 0;
    kept[next++ % 1000] = new (std::nothrow) int;
    const gs_status_t given_back = event ? gs_event_destroy(event) : GS_OK;
    return {status != GS_OK ? status : given_back, "gs_event_create"};
}

Failure tells_another_status() {
    gs_event_t event = nullptr;
    if (gs_event_create(0, &event) != GS_OK) return {GS_ERROR_DRIVER, "gs_event_create"};
    return {gs_event_destroy(event), "gs_event_destroy"};
}

Failure names_another_function() {
    gs_event_t event = nullptr;
    if (const gs_status_t status = gs_event_create(0, &event); status != GS_OK && read_error().function[0] != '\0')
        return {status, "gs_event_record"};
    return {event ? gs_event_destroy(event) : GS_OK, "gs_event_destroy"};
}

Failure crashes() {
    const Failure failure = tells_another_status();
    if (failure.status == GS_ERROR_DRIVER) std::abort();
    return failure;
}

TEST(AllocationFailureFixture, FindsSeededFaults) {
    const auto fails = [](const Scenario &scenario, Mode mode) {
        for (uint64_t n = 1; n < 20; ++n) {
            std::string output;
            const int outcome = run_child(scenario, n, mode, &output);
            if (outcome == kFailed) return true;
            if (outcome == kNothingFailed) return false;
        }
        return false;
    };
    setenv("GPUSTREAM_BACKEND", "host", 1);
    EXPECT_TRUE(fails({"keeps_a_block", keeps_a_block}, Mode::Warm));
    EXPECT_TRUE(fails({"tells_another_status", tells_another_status}, Mode::ColdOnce));
    EXPECT_TRUE(fails({"names_another_function", names_another_function}, Mode::ColdOnce));
    EXPECT_TRUE(fails({"crashes", crashes}, Mode::ColdOnce));
}

INSTANTIATE_TEST_SUITE_P(, AllocationFailure,
                         ::testing::ValuesIn(kAllocationScenarios, kAllocationScenarios + kAllocationScenarioCount),
                         [](const auto &row) { return std::string(row.param.name); });

} // namespace
} // namespace gs::test
