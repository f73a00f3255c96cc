// SPDX-License-Identifier: Apache-2.0
#include "base/os_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/testing.hpp"

namespace gs {
namespace {

struct Start {
    std::atomic<pid_t> id{0};
    Start *next = nullptr;
    void (*entry)(void *);
    void *arg;
    char name[16];
};

std::atomic<uint32_t> g_running{0};
std::atomic<Start *> g_threads{nullptr}; // never freed: other threads may walk the list

pid_t this_id() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

void *run(void *opaque) {
    Start &start = *static_cast<Start *>(opaque);
    start.id.store(this_id(), std::memory_order_relaxed);
    start.next = g_threads.load(std::memory_order_relaxed);
    while (!g_threads.compare_exchange_weak(start.next, &start, std::memory_order_release)) {}
    pthread_setname_np(pthread_self(), start.name);
    g_running.fetch_add(1, std::memory_order_relaxed);
    start.entry(start.arg);
    g_running.fetch_sub(1, std::memory_order_relaxed);
    start.id.store(0, std::memory_order_relaxed);
    return nullptr;
}

bool injected_failure() noexcept {
#if defined(GPUSTREAM_TESTING)
    int left = testing::fail_thread_starts.load();
    while (left > 0)
        if (testing::fail_thread_starts.compare_exchange_weak(left, left - 1)) return true;
#endif
    return false;
}

int create(Start *start) noexcept {
    if (injected_failure()) return EAGAIN;
    pthread_attr_t attributes;
    if (const int error = pthread_attr_init(&attributes)) return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The new thread inherits this mask, so that no signal of the application is delivered to it.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    pthread_attr_destroy(&attributes);
    return error;
}

} // namespace

uint32_t running_threads() noexcept { return g_running.load(std::memory_order_relaxed); }

bool is_library_thread() noexcept {
    const pid_t id = this_id();
    for (const Start *thread = g_threads.load(std::memory_order_acquire); thread; thread = thread->next)
        if (thread->id.load(std::memory_order_relaxed) == id) return true;
    return false;
}

Status start_thread(const char *name, void (*entry)(void *), void *arg) noexcept {
    auto *start = new (std::nothrow) Start{.entry = entry, .arg = arg, .name = {}};
    if (!start) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to start the thread '%s'", name);
    std::snprintf(start->name, sizeof start->name, "%s", name);
    const int error = create(start);
    if (error == 0) return kOk;
    delete start;
    return fail_system("pthread_create", error, "cannot start the thread '%s'", name);
}

} // namespace gs
