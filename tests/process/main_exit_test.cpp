// SPDX-License-Identifier: Apache-2.0
// A process whose main thread has ended by pthread_exit() ends when only threads of the library are left, and until
// then by the signals that would have ended it before.
#include <gtest/gtest.h>
#include <signal.h>

#include "support/child_process.hpp"

namespace gs::test {
namespace {

// Left out under sanitizers. ThreadSanitizer has a thread of its own, which does not end. AddressSanitizer's check for leaks
// at exit stops all threads, which it cannot after main has ended.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
void expect_end(const std::string &child, const std::vector<std::string> &arguments, const std::string &output) {
    const Outcome outcome = run_self_as(child, arguments);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    EXPECT_EQ(outcome.output, output);
}

TEST(MainExit, AnIdleLibraryEndsWithTheProcess) { expect_end("main_ends_idle", {}, "main\natexit\n"); }
TEST(MainExit, PendingWorkIsFinished) {
    expect_end("main_ends_with_work", {}, "host function\nnotification\natexit\n");
}
TEST(MainExit, AThreadThatCouldNotBeStartedIsNotWaitedFor) {
    for (const char *part : {"timers", "watcher", "dispatcher"})
        expect_end("main_ends_after_a_failed_start", {part}, "main\n");
}
TEST(MainExit, AWordThatWasWrittenIsSeen) {
    for (int round = 0; round < 20; ++round) expect_end("main_ends_after_a_word_was_written", {}, "host function\n");
}
TEST(MainExit, AThreadWorksOn) { expect_end("main_ends_before_a_thread", {"no call"}, "thread\natexit\n"); }
TEST(MainExit, AThreadWorksOnWithTheLibrary) {
    expect_end("main_ends_before_a_thread", {"library"}, "thread\natexit\n");
}
TEST(MainExit, MainNeverCalledAndEndsFirst) { expect_end("main_ends_unseen", {"main"}, "thread\n"); }
TEST(MainExit, MainNeverCalledAndEndsLast) { expect_end("main_ends_unseen", {"thread"}, "thread\n"); }
TEST(MainExit, TheLibraryStartsLater) { expect_end("main_ends_before_the_start", {}, "thread\natexit\n"); }
TEST(MainExit, ForkedChild) { expect_end("forked_main_ends", {}, "child ended\n"); }
#endif

Outcome signal_to(const std::string &child, const std::vector<std::string> &arguments, int signal) {
    Child process = Child::start_self(child, arguments);
    std::string line;
    EXPECT_TRUE(process.read_line(&line) && line == "ready") << line;
    process.kill(signal);
    return process.wait();
}

void expect_ended_by(int signal, const std::string &left) {
    const Outcome outcome = signal_to("main_ends_and_a_signal_comes", {left, "default"}, signal);
    EXPECT_TRUE(!outcome.exited && outcome.signal == signal && !outcome.timed_out) << left << ": " << describe(outcome);
}

TEST(MainExit, SignalsEndItWhileWorkIsPending) {
    expect_ended_by(SIGTERM, "work");
    expect_ended_by(SIGINT, "work");
    expect_ended_by(SIGHUP, "work");
}
TEST(MainExit, SignalsEndItInAHostFunction) { expect_ended_by(SIGTERM, "host function"); }
TEST(MainExit, SignalsEndItInANotification) { expect_ended_by(SIGTERM, "notification"); }
TEST(MainExit, SignalsEndItBesideAThreadThatBlocksThem) { expect_ended_by(SIGINT, "foreign thread"); }

// As newer versions of AddressSanitizer do.
TEST(MainExit, SignalsEndItThoughTheLastDestructorsBlockedThem) {
    expect_ended_by(SIGTERM, "blocking destructor and work");
    expect_ended_by(SIGTERM, "blocking destructor and foreign thread");
}

TEST(MainExit, AHandlerRunsOnTheProgramsThread) {
    const Outcome outcome = signal_to("main_ends_and_a_signal_comes", {"foreign thread", "handler"}, SIGTERM);
    EXPECT_TRUE(outcome.exited && outcome.code == 7 && !outcome.timed_out) << describe(outcome);
}

TEST(MainExit, ALateHandlerRunsOnTheProgramsThread) {
    const Outcome outcome = run_self_as("main_ends_and_a_handler_comes");
    EXPECT_TRUE(outcome.exited && outcome.code == 7 && !outcome.timed_out) << describe(outcome);
}

TEST(MainExit, ABlockedSignalIsTheProgramsToRead) {
    const Outcome outcome = signal_to("main_ends_and_a_thread_waits_for_signals", {}, SIGTERM);
    EXPECT_TRUE(outcome.exited && outcome.code == 7 && !outcome.timed_out) << describe(outcome);
}

} // namespace
} // namespace gs::test
