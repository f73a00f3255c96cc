// SPDX-License-Identifier: Apache-2.0
// cuBLAS handles: one per thread, device and stream. cuBLAS allows a handle to one thread at a time, and a handle bound to
// another stream meanwhile would lose its workspace.
#include <cstdio>
#include <new>

#include "backend/cuda/context_scope.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/last_error.hpp"
#include "base/once_result.hpp"

namespace gs::cuda {
namespace {

// The signatures are the same in every cuBLAS since 4.0 (cublas_api.h).
using CreateHandle = int (*)(void **);
using SetStream = int (*)(void *, CUstream);

struct Blas {
    CreateHandle create = nullptr;
    SetStream set_stream = nullptr;
};
constinit Blas g_blas{};
constinit OnceResult g_loaded;

// Handed on with the thread's id: a thread that ended leaves its handles to the next one that gets its id.
struct Held {
    uint32_t thread_id;
    int32_t ordinal;
    uintptr_t stream;
    void *handle;
    Held *next;
};
constinit std::atomic<Held *> g_held{nullptr}; // append only, walked without a lock

Status load_blas() noexcept {
    const char *chosen = env_trusted("GPUSTREAM_LIBCUBLAS");
    const bool overridden = chosen && *chosen != '\0';
    void *library = nullptr;
    char reason[256] = "";
    for (const char *path : {overridden ? chosen : "libcublas.so.13", overridden ? nullptr : "libcublas.so.12"}) {
        if (library || !path) continue;
        if (!open_library(path, &library).ok()) std::snprintf(reason, sizeof reason, "%s", pending_text());
    }
    if (!library)
        return fail(GS_ERROR_NOT_SUPPORTED, "no cuBLAS: %s%s", reason, overridden ? " (GPUSTREAM_LIBCUBLAS)" : "");
    g_blas.create = reinterpret_cast<CreateHandle>(find_symbol(library, "cublasCreate_v2"));
    g_blas.set_stream = reinterpret_cast<SetStream>(find_symbol(library, "cublasSetStream_v2"));
    if (g_blas.create && g_blas.set_stream) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "the cuBLAS library does not have %s",
                g_blas.create ? "cublasSetStream_v2" : "cublasCreate_v2");
}

Status blas_failure(int result, const char *function) noexcept {
    // 3: CUBLAS_STATUS_ALLOC_FAILED
    return fail_native(result == 3 ? GS_ERROR_OUT_OF_MEMORY : GS_ERROR_DRIVER, {GS_BACKEND_CUDA, result, function},
                       "cuBLAS failed (cuBLAS status %d)", result);
}

void *held_handle(uint32_t thread_id, StreamRef stream) noexcept {
    for (Held *held = g_held.load(std::memory_order_acquire); held; held = held->next)
        if (held->thread_id == thread_id && held->ordinal == stream.ordinal && held->stream == stream.native)
            return held->handle;
    return nullptr;
}

Status make_handle(uint32_t thread_id, StreamRef stream, void **out) noexcept {
    auto *held = new (std::nothrow) Held{thread_id, stream.ordinal, stream.native, nullptr, nullptr};
    if (!held) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember a cuBLAS handle");
    if (const int result = g_blas.create(&held->handle); result != 0) {
        delete held;
        return blas_failure(result, "cublasCreate_v2");
    }
    *out = held->handle;
    held->next = g_held.load(std::memory_order_relaxed);
    while (!g_held.compare_exchange_weak(held->next, held, std::memory_order_release, std::memory_order_relaxed)) {}
    return kOk;
}

} // namespace

Status CudaBackend::blas_handle(ThreadBlock &thread, StreamRef stream, uintptr_t *out) noexcept {
    GS_TRY(g_loaded.run([]() noexcept { return load_blas(); }));
    // cuBLAS makes its handle in the current context, and takes the stream's context to be current.
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(g_devices[stream.ordinal]));
    void *handle = held_handle(thread.id, stream);
    if (!handle) GS_TRY(make_handle(thread.id, stream, &handle));
    if (const int result = g_blas.set_stream(handle, to_stream(stream)); result != 0)
        return blas_failure(result, "cublasSetStream_v2");
    *out = reinterpret_cast<uintptr_t>(handle);
    return kOk;
}

} // namespace gs::cuda
