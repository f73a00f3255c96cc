// SPDX-License-Identifier: Apache-2.0
// Processes whose main thread ends by pthread_exit() while threads of the library exist.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

constexpr uint64_t kLong = 300'000'000;
constexpr uint64_t kAnHour = 3'600'000'000'000; // longer than the test runs

void say(const char *line) {
    std::printf("%s\n", line);
    std::fflush(stdout);
}

// Starts the worker threads, the timer thread and the dispatcher.
gs_stream_t start_library() {
    static std::atomic<int> notified{0};
    gs_stream_t stream = nullptr;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_sleep(stream, 1) == GS_OK);
    CHILD_REQUIRE(gs_stream_notify(stream, [](void *, gs_status_t) { notified = 1; }, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(stream) == GS_OK);
    while (!notified) std::this_thread::yield();
    return stream;
}

// Exit handlers may use the library, whose threads still run.
void at_main_exit() {
    static std::atomic<int> ran{0};
    gs_stream_t stream = nullptr;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_launch_host(stream, [](void *) { ran = 1; }, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(stream) == GS_OK && ran == 1);
    say("atexit");
}

void wait_until_main_has_ended() {
    for (;;) {
        char text[512] = {};
        std::FILE *file = std::fopen("/proc/self/status", "r");
        CHILD_REQUIRE(file && std::fread(text, 1, sizeof text - 1, file) > 0);
        std::fclose(file);
        if (std::string(text).find("\nState:\tZ") != std::string::npos) return;
        std::this_thread::yield();
    }
}

} // namespace

GS_CHILD(main_ends_idle) {
    CHILD_REQUIRE(std::atexit(at_main_exit) == 0);
    start_library();
    say("main");
    pthread_exit(nullptr);
}

// A host function starts a thread, and a notification is behind it.
GS_CHILD(main_ends_with_work) {
    CHILD_REQUIRE(std::atexit(at_main_exit) == 0);
    gs_stream_t stream = start_library();
    CHILD_REQUIRE(gs_stream_sleep(stream, kLong) == GS_OK);
    const auto start = [](void *) {
        wait_until_main_has_ended();
        say("host function");
        std::thread([] {
            gs_stream_t mine = nullptr;
            CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &mine) == GS_OK);
            CHILD_REQUIRE(gs_stream_sleep(mine, kLong) == GS_OK);
            CHILD_REQUIRE(gs_stream_notify(mine, [](void *, gs_status_t) { say("notification"); }, nullptr) == GS_OK);
        }).detach();
    };
    CHILD_REQUIRE(gs_stream_launch_host(stream, start, nullptr) == GS_OK);
    pthread_exit(nullptr);
}

// A thread of the library could not be started. Arguments: of which part.
GS_CHILD(main_ends_after_a_failed_start) {
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_event_create(GS_EVENT_INTERPROCESS, &event) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, stream) == GS_OK);
    rlimit all{};
    CHILD_REQUIRE(getrlimit(RLIMIT_AS, &all) == 0);
    rlimit none = all;
    none.rlim_cur = 0; // no memory for a stack
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
    gs_status_t status = GS_OK;
    gs_ipc_handle_t handle;
    if (arguments[0] == "timers") status = gs_stream_sleep(stream, 1);
    if (arguments[0] == "watcher") status = gs_event_ipc_export(event, &handle);
    if (arguments[0] == "dispatcher") status = gs_stream_notify(stream, [](void *, gs_status_t) {}, nullptr);
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &all) == 0);
    CHILD_REQUIRE(status != GS_OK);
    say("main");
    pthread_exit(nullptr);
}

// A stream waits for a word that the main thread writes before it ends.
GS_CHILD(main_ends_after_a_word_was_written) {
    static uint64_t word = 0;
    gs_stream_t stream = start_library();
    CHILD_REQUIRE(gs_stream_wait_value(stream, &word, 1, GS_VALUE_GEQ) == GS_OK);
    CHILD_REQUIRE(gs_stream_launch_host(stream, [](void *) { say("host function"); }, nullptr) == GS_OK);
    usleep(20'000); // the library looks at the word less often by now
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    pthread_exit(nullptr);
}

// Arguments: "library" if the other thread calls the library.
GS_CHILD(main_ends_before_a_thread) {
    CHILD_REQUIRE(std::atexit(at_main_exit) == 0);
    start_library();
    const bool calls = arguments[0] == "library";
    std::thread([calls] {
        wait_until_main_has_ended();
        usleep(kLong / 1000);
        if (calls) CHILD_REQUIRE(gs_stream_synchronize(start_library()) == GS_OK);
        say("thread");
    }).detach();
    pthread_exit(nullptr);
}

// The main thread never calls the library. Arguments: which thread ends first.
GS_CHILD(main_ends_unseen) {
    if (arguments[0] == "main") {
        std::thread([] {
            wait_until_main_has_ended();
            start_library();
            say("thread");
        }).detach();
    } else {
        std::thread([] { start_library(); }).join();
        say("thread");
    }
    pthread_exit(nullptr);
}

// The library's first thread is started after the main thread, which had called it, has ended.
GS_CHILD(main_ends_before_the_start) {
    CHILD_REQUIRE(std::atexit(at_main_exit) == 0);
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK && gs_event_destroy(event) == GS_OK);
    std::thread([] {
        wait_until_main_has_ended();
        start_library();
        say("thread");
    }).detach();
    pthread_exit(nullptr);
}

// In the child of a fork, the thread that called fork() is the main thread.
GS_CHILD(forked_main_ends) {
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    int status = -1;
    std::thread([&status] {
        gs_event_t mine = nullptr;
        CHILD_REQUIRE(gs_event_create(0, &mine) == GS_OK);
        const pid_t pid = fork();
        CHILD_REQUIRE(pid >= 0);
        if (pid == 0) {
            start_library();
            pthread_exit(nullptr);
        }
        CHILD_REQUIRE(waitpid(pid, &status, 0) == pid);
    }).join();
    CHILD_REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    say("child ended");
    return 0;
}

namespace {

pthread_t g_thread;

void block_all_signals() {
    sigset_t all;
    sigfillset(&all);
    CHILD_REQUIRE(pthread_sigmask(SIG_BLOCK, &all, nullptr) == 0);
}

// In the last of the rounds that POSIX gives to destructors.
void block_signals_last(void *rounds_left) {
    static pthread_key_t key;
    const auto left = reinterpret_cast<uintptr_t>(rounds_left);
    if (left == 1) return block_all_signals();
    if (left == 0) CHILD_REQUIRE(pthread_key_create(&key, block_signals_last) == 0);
    const uintptr_t next = left == 0 ? PTHREAD_DESTRUCTOR_ITERATIONS : left - 1;
    CHILD_REQUIRE(pthread_setspecific(key, reinterpret_cast<void *>(next)) == 0); // NOLINT: a number
}

} // namespace

// What is left cannot end by itself. Arguments: what that is, and what the program does with SIGTERM.
GS_CHILD(main_ends_and_a_signal_comes) {
    // Whatever started the tests: a shell ignores SIGINT for what it runs in the background, and nohup SIGHUP.
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) CHILD_REQUIRE(::signal(signal, SIG_DFL) != SIG_ERR);
    gs_stream_t stream = start_library();
    const std::string &left = arguments[0];
    if (left.find("work") != std::string::npos) CHILD_REQUIRE(gs_stream_sleep(stream, kAnHour) == GS_OK);
    const auto endless = [](void *) {
        for (;;) pause();
    };
    if (left == "host function") CHILD_REQUIRE(gs_stream_launch_host(stream, endless, nullptr) == GS_OK);
    if (left == "notification")
        CHILD_REQUIRE(gs_stream_notify(
                          stream,
                          [](void *, gs_status_t) {
                              for (;;) pause();
                          },
                          nullptr) == GS_OK);
    if (left.rfind("blocking destructor", 0) == 0) block_signals_last(nullptr);
    const bool handles = arguments[1] == "handler";
    if (handles) (void)::signal(SIGTERM, [](int) { _exit(pthread_equal(pthread_self(), g_thread) ? 7 : 8); });
    std::thread(
        [stays = left.find("foreign thread") != std::string::npos, handles] { // pthread_exit() destroys the arguments
            g_thread = pthread_self();
            if (!handles) block_all_signals();
            wait_until_main_has_ended();
            say("ready");
            while (stays) pause();
        })
        .detach();
    pthread_exit(nullptr);
}

// A handler is installed while the library stands by to take the signal. It must run, and on the program's thread.
GS_CHILD(main_ends_and_a_handler_comes) {
    start_library();
    std::thread([] {
        g_thread = pthread_self();
        block_all_signals();
        wait_until_main_has_ended();
        usleep(kLong / 1000); // so that it usually does stand by
        (void)::signal(SIGTERM, [](int) { _exit(pthread_equal(pthread_self(), g_thread) ? 7 : 8); });
        CHILD_REQUIRE(kill(getpid(), SIGTERM) == 0);
        sigset_t none;
        sigemptyset(&none);
        for (;;) sigsuspend(&none);
    }).detach();
    pthread_exit(nullptr);
}

// SIGTERM, blocked by every thread, is read by sigwait(): it is the program's.
GS_CHILD(main_ends_and_a_thread_waits_for_signals) {
    block_all_signals();
    start_library();
    std::thread([] {
        wait_until_main_has_ended();
        say("ready");
        usleep(kLong / 1000); // the signal comes before the wait, and must stay pending
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        int signal = 0;
        CHILD_REQUIRE(sigwait(&set, &signal) == 0 && signal == SIGTERM);
        say("sigwait");
        _exit(7);
    }).detach();
    pthread_exit(nullptr);
}

} // namespace gs::test
