// SPDX-License-Identifier: Apache-2.0
// Threads of this layer.
#pragma once

#include <pthread.h>
#include <signal.h>

#include "config.hpp"

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

/// GS_OK or GS_ERROR_SYSTEM. Like the library's own threads, the new one is detached and takes no signals.
GPUSTREAM_COLD inline gs_status_t start_thread(void *(*function)(void *), void *argument) noexcept {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const int failed = pthread_create(&thread, nullptr, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failed != 0) return GS_ERROR_SYSTEM;
    pthread_detach(thread);
    return GS_OK;
}

/// A host function may not end what it owns: a thread of its own does. Without one it is left.
template <typename Handle, gs_status_t (*destroy)(Handle)>
GPUSTREAM_COLD void end_elsewhere(Handle handle) noexcept {
    const auto end = [](void *given) -> void * {
        static_cast<void>(destroy(static_cast<Handle>(given)));
        return nullptr;
    };
    static_cast<void>(start_thread(end, handle));
}
/// For destructors: ends the reference, or the memory. A failure goes to the library's log.
template <typename Handle, gs_status_t (*destroy)(Handle)>
void end(Handle handle) noexcept {
    if (GPUSTREAM_UNLIKELY(destroy(handle) == GS_ERROR_NOT_PERMITTED)) end_elsewhere<Handle, destroy>(handle);
}

} // namespace detail
GPUSTREAM_END_NAMESPACE
