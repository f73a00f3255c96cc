// SPDX-License-Identifier: Apache-2.0
#include "core/work/host_call.hpp"

#include <new>

namespace gs {
namespace {

struct HostCall {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
    HostCall *next_free = nullptr;
    HostCall *next_all = nullptr; // keeps calls reachable that a driver drops because its context failed
};

Mutex g_mutex;
HostCall *g_free GS_GUARDED_BY(g_mutex) = nullptr;
HostCall *g_all GS_GUARDED_BY(g_mutex) = nullptr;

HostCall *take(void (*fn)(void *), void *arg) noexcept {
    MutexLock lock(g_mutex);
    HostCall *call = g_free;
    if (call) {
        g_free = call->next_free;
    } else {
        call = new (std::nothrow) HostCall;
        if (!call) return nullptr;
        call->next_all = g_all;
        g_all = call;
    }
    call->fn = fn;
    call->arg = arg;
    return call;
}

void give(HostCall *call) noexcept {
    MutexLock lock(g_mutex);
    call->next_free = g_free;
    g_free = call;
}

void run(void *opaque) {
    auto *call = static_cast<HostCall *>(opaque);
    void (*fn)(void *) = call->fn;
    void *arg = call->arg;
    give(call);
    ThreadBlock *thread = this_thread();
    if (thread) ++thread->callback_depth;
    fn(arg);
    if (thread) --thread->callback_depth;
}

} // namespace

Status launch_host(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept {
    GS_TRY(check_health(stream));
    HostCall *call = take(fn, arg);
    if (!call) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    mark_used(stream);
    const Status status = stream.backend->launch_host(thread, stream.ref(), run, call);
    if (!status.ok()) give(call);
    return status;
}

} // namespace gs
