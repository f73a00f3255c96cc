// SPDX-License-Identifier: Apache-2.0
// Processes that end in every possible way, with work pending and threads inside the library.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

constexpr int kCode = 7;
constexpr uint64_t kEndless = 3'600'000'000'000; // an hour: longer than the test runs

gs_stream_t g_stream;
gs_stream_t g_long;
gs_event_t g_event;
std::atomic<bool> g_call_at_end{false};

// Whatever the state of the process, a call returns a status.
void call_library(const char *where) {
    int32_t done = -1;
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    uint64_t scope = 0;
    CHILD_REQUIRE(gs_stream_query(g_long, &done) == GS_OK && done == 0);
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_push_current_stream(stream, &scope) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, GS_STREAM_CURRENT) == GS_OK);
    CHILD_REQUIRE(gs_event_synchronize(event) == GS_OK);
    CHILD_REQUIRE(gs_pop_current_stream(scope) == GS_OK);
    CHILD_REQUIRE(gs_event_destroy(event) == GS_OK && gs_stream_destroy(stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_query(nullptr, &done) == GS_ERROR_INVALID_HANDLE);
    std::printf("%s\n", where);
}

struct Global {
    ~Global() {
        if (g_call_at_end) call_library("static destructor");
    }
} g_global;

void at_exit() { call_library("atexit"); }
void at_quick_exit() {
    call_library("at_quick_exit");
    std::fflush(stdout);
}

// Every kind of operation that may be in progress: an endless timer, a wait for it, a notification, two blocked threads.
void start_everything() {
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &g_stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &g_long) == GS_OK);
    CHILD_REQUIRE(gs_event_create(GS_EVENT_BLOCKING, &g_event) == GS_OK);
    CHILD_REQUIRE(gs_stream_sleep(g_long, kEndless) == GS_OK);
    CHILD_REQUIRE(gs_event_record(g_event, g_long) == GS_OK);
    CHILD_REQUIRE(gs_stream_wait_event(g_stream, g_event) == GS_OK);
    CHILD_REQUIRE(gs_stream_notify(g_long, [](void *, gs_status_t) { std::abort(); }, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_stream_launch_host(g_stream, [](void *) { std::abort(); }, nullptr) == GS_OK);
    std::thread([] { (void)gs_stream_synchronize(g_stream); }).detach();
    std::thread([] { (void)gs_event_synchronize(g_event); }).detach();
    std::thread([] {
        for (;;) { // another one is inside short calls all the time
            gs_event_t event = nullptr;
            if (gs_event_create(0, &event) == GS_OK) (void)gs_event_destroy(event);
        }
    }).detach();
}

} // namespace

GS_CHILD(end) {
    const std::string &way = arguments[0];
    start_everything();
    g_call_at_end = true;
    CHILD_REQUIRE(std::atexit(at_exit) == 0 && std::at_quick_exit(at_quick_exit) == 0);
    if (way == "return") return kCode;
    if (way == "exit") std::exit(kCode);
    if (way == "_exit") _exit(kCode);
    if (way == "quick_exit") std::quick_exit(kCode);
    if (way == "exit from a thread") {
        std::thread([] { std::exit(kCode); }).detach();
        for (;;) pause();
    }
    if (way == "pthread_exit of main") {
        std::thread([] {
            call_library("after main");
            std::exit(kCode);
        }).detach();
        pthread_exit(nullptr);
    }
    return 99;
}

namespace {

pthread_key_t g_before, g_after;
std::atomic<int> g_destructors{0};

// Leaves a stream current and an event behind, in every round of the thread's destructors.
void thread_specific(void *value) {
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_set_current_stream(stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_destroy(stream) == GS_OK);
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, GS_STREAM_CURRENT) == GS_OK);
    CHILD_REQUIRE(gs_event_synchronize(event) == GS_OK && gs_event_destroy(event) == GS_OK);
    ++g_destructors;
    const auto round = reinterpret_cast<uintptr_t>(value);
    if (round > 1) pthread_setspecific(round % 2 ? g_before : g_after, reinterpret_cast<void *>(round - 1)); // NOLINT
}

} // namespace

// Destructors of thread-specific data that run before and after the library's own, over and over.
GS_CHILD(thread_specific_data) {
    CHILD_REQUIRE(pthread_key_create(&g_before, thread_specific) == 0);
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK); // makes the library's key
    CHILD_REQUIRE(pthread_key_create(&g_after, thread_specific) == 0);
    constexpr int kThreads = 64;
    for (int i = 0; i < kThreads; ++i)
        std::thread([i] {
            gs_stream_t stream = nullptr;
            if (i % 2) CHILD_REQUIRE(gs_default_stream(0, &stream) == GS_OK);
            pthread_setspecific(i % 4 < 2 ? g_before : g_after, reinterpret_cast<void *>(uintptr_t{3})); // NOLINT
        }).join();
    CHILD_REQUIRE(g_destructors >= 3 * kThreads);
    CHILD_REQUIRE(gs_event_destroy(event) == GS_OK && gs_trim() == GS_OK);
    return 0;
}

} // namespace gs::test
