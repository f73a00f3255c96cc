// SPDX-License-Identifier: Apache-2.0
// cuBLAS handles: one per thread, device and stream. Only one thread at a time may use a handle, and a handle that is
// bound to another stream loses its workspace.
#include <cstdio>
#include <new>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
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

// Called with the loader's failure in the pending record.
Status not_there(const char *remark) noexcept {
    char reason[256]; // the new record would overwrite the text it is made from
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    return fail(GS_ERROR_NOT_SUPPORTED, "no cuBLAS: %s%s", reason, remark);
}

// The failure is not kept: a library that is absent now may be installed, or loaded by another library, before the
// next call.
Status find_blas(void **out) noexcept {
    const char *chosen = env_trusted(Variable::LibCublas);
    if (chosen && *chosen != '\0') {
        if (open_library(chosen, out).ok()) return kOk;
        return not_there(" (GPUSTREAM_LIBCUBLAS)");
    }
    // The library that the process works with already comes first: a handle is valid only for the version that made
    // it.
    constexpr const char *kNames[] = {"libcublas.so.13", "libcublas.so.12"};
    for (const char *name : kNames)
        if ((*out = loaded_library(name)) != nullptr) return kOk;
    for (const char *name : kNames)
        if (open_library(name, out).ok()) return kOk;
    return not_there("");
}

Status take_functions(void *library) noexcept {
    g_blas.create = reinterpret_cast<CreateHandle>(find_symbol(library, "cublasCreate_v2"));
    g_blas.set_stream = reinterpret_cast<SetStream>(find_symbol(library, "cublasSetStream_v2"));
    if (g_blas.create && g_blas.set_stream) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "the cuBLAS library does not have %s",
                g_blas.create ? "cublasSetStream_v2" : "cublasCreate_v2");
}

Status ready_blas() noexcept {
    if (g_loaded.done_ok()) return kOk;
    void *library = nullptr;
    GS_TRY(find_blas(&library));
    return g_loaded.run([library]() noexcept { return take_functions(library); });
}

Status blas_failure(int result, const char *function) noexcept {
    // 3: CUBLAS_STATUS_ALLOC_FAILED
    return fail_native(result == 3 ? GS_ERROR_OUT_OF_MEMORY : GS_ERROR_DRIVER, {GS_BACKEND_CUDA, result, function},
                       "cuBLAS failed (cuBLAS status %d)", result);
}

// cuBLAS allocates device memory, which breaks the captures of other threads unless this one is in relaxed mode.
template <typename Operation>
Status in_blas(ThreadBlock &thread, Device &device, const char *function, Operation &&operation) noexcept {
    int result = 0;
    FailedCall call{};
    const CUresult entered = in_relaxed_mode(thread, &call, [&] {
        result = operation();
        return CUDA_SUCCESS;
    });
    if (entered != CUDA_SUCCESS) return map_error(entered, call, device);
    return result == 0 ? kOk : blas_failure(result, function);
}

void *held_handle(uint32_t thread_id, StreamRef stream) noexcept {
    for (Held *held = g_held.load(std::memory_order_acquire); held; held = held->next)
        if (held->thread_id == thread_id && held->ordinal == stream.ordinal && held->stream == stream.native)
            return held->handle;
    return nullptr;
}

Status make_handle(ThreadBlock &thread, StreamRef stream, void **out) noexcept {
    auto *held = new (std::nothrow) Held{thread.id, stream.ordinal, stream.native, nullptr, nullptr};
    if (!held) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember a cuBLAS handle");
    const Status made =
        in_blas(thread, g_devices[stream.ordinal], "cublasCreate_v2", [&] { return g_blas.create(&held->handle); });
    if (!made.ok()) {
        delete held;
        return made;
    }
    *out = held->handle;
    held->next = g_held.load(std::memory_order_relaxed);
    // one-sided: repeated only in a race
    while (!g_held.compare_exchange_weak(held->next, held, std::memory_order_release, std::memory_order_relaxed)) {}
    return kOk;
}

} // namespace

Status CudaBackend::blas_handle(ThreadBlock &thread, StreamRef stream, uintptr_t *out) noexcept {
    GS_TRY(ready_blas());
    Device &device = g_devices[stream.ordinal];
    // cuBLAS makes its handle in the current context, and expects the stream's context to be current.
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    void *handle = held_handle(thread.id, stream);
    if (!handle) GS_TRY(make_handle(thread, stream, &handle));
    GS_TRY(in_blas(thread, device, "cublasSetStream_v2", [&] { return g_blas.set_stream(handle, to_stream(stream)); }));
    *out = reinterpret_cast<uintptr_t>(handle);
    return kOk;
}

} // namespace gs::cuda
