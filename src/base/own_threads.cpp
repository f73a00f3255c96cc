// SPDX-License-Identifier: Apache-2.0
#include "base/thread_block.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace gs {
namespace {

std::atomic<uint32_t> g_running{0};
std::atomic<OwnThread *> g_threads{nullptr};

pid_t this_id() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

} // namespace

void enter_own_thread(OwnThread &thread) noexcept {
    thread.id.store(this_id(), std::memory_order_relaxed);
    thread.next = g_threads.load(std::memory_order_relaxed);
    while (!g_threads.compare_exchange_weak(thread.next, &thread, std::memory_order_release)) {}
    g_running.fetch_add(1, std::memory_order_relaxed);
}

void leave_own_thread(OwnThread &thread) noexcept {
    g_running.fetch_sub(1, std::memory_order_relaxed);
    thread.id.store(0, std::memory_order_relaxed);
}

uint32_t running_threads() noexcept { return g_running.load(std::memory_order_relaxed); }

bool is_library_thread() noexcept {
    const pid_t id = this_id();
    for (const OwnThread *thread = g_threads.load(std::memory_order_acquire); thread; thread = thread->next)
        if (thread->id.load(std::memory_order_relaxed) == id) return true;
    return false;
}

} // namespace gs
