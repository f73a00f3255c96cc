// SPDX-License-Identifier: Apache-2.0
#include "base/os_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "base/testing.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

struct Start {
    OwnThread thread; // why a Start is never freed
    ThreadBlock *block;
    void (*entry)(void *);
    void *arg;
    char name[16];
};

void *run(void *opaque) {
    Start &start = *static_cast<Start *>(opaque);
    enter_own_thread(start.thread);
    adopt_block(*start.block);
    pthread_setname_np(pthread_self(), start.name);
    start.entry(start.arg);
    leave_own_thread(start.thread);
    return nullptr;
}

#if !defined(__GLIBC__)
// These threads run functions of the program, also of Java and Python. glibc gives a thread as much stack as the
// process may have, usually this much. The default of musl is 128 KiB.
constexpr size_t kStack = size_t{8} << 20;
#endif

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
#if !defined(__GLIBC__)
    pthread_attr_setstacksize(&attributes, kStack);
#endif
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

Status start_thread(const char *name, void (*entry)(void *), void *arg) noexcept {
    ThreadBlock *block = reserve_block();
    auto *start = block ? new (std::nothrow) Start{.thread = {}, .block = block, .entry = entry, .arg = arg, .name = {}}
                        : nullptr;
    if (!start) {
        if (block) return_block(*block);
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to start the thread '%s'", name);
    }
    std::snprintf(start->name, sizeof start->name, "%s", name);
    const int error = create(start);
    if (error == 0) return kOk;
    return_block(*block);
    delete start;
    return fail_system("pthread_create", error, "cannot start the thread '%s'", name);
}

} // namespace gs
