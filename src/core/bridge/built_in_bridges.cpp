// SPDX-License-Identifier: Apache-2.0
// The bridges to libraries that gpustream knows by itself. They are looked for among those that the process has loaded.
#include <atomic>
#include <cstring>

#include "backend/registry.hpp"
#include "base/dynlib.hpp"
#include "core/bridge/bridge_table.hpp"
#include "core/device/device_table.hpp"

namespace gs {

namespace {

// Filled by every search with the same addresses, so that two threads may search at once.
template <typename Function>
class Found {
public:
    bool find(void *library, const char *symbol) noexcept {
        void *address = find_symbol(library, symbol);
        pointer_.store(reinterpret_cast<Function>(address), std::memory_order_relaxed);
        return address != nullptr;
    }
    Function get() const noexcept { return pointer_.load(std::memory_order_relaxed); }

private:
    std::atomic<Function> pointer_{nullptr};
};

// ---- PyTorch: torch/csrc/inductor/aoti_torch/c/shim.h and, from 2.10 on, torch/csrc/stable/c/shim.h. Both return 0 for
// success, and turn exceptions into another number. The current device is the driver's, so no bridge has to be notified.
Found<int32_t (*)(int32_t device_index, void **ret_stream)> g_torch_get;
Found<int32_t (*)(void *stream, int32_t device_index)> g_torch_set;

// A function of another library stores a pointer where a number will be read, which the compiler cannot see. A variable
// in between would take as long as a third of the call.
static_assert(sizeof(void *) == sizeof(uintptr_t));
int32_t get_torch(void *, int32_t ordinal, uintptr_t *out_native) {
    return g_torch_get.get()(ordinal, reinterpret_cast<void **>(out_native));
}

int32_t set_torch(void *, int32_t ordinal, uintptr_t native) {
    return g_torch_set.get()(reinterpret_cast<void *>(native), ordinal);
}

constexpr int32_t kDlCuda = 2; // the devices that libtorch_cuda.so works on

Status find_torch(gs_bridge_t *bridge) noexcept {
    bridge->backend = backend_of_dlpack(kDlCuda);
    void *library = loaded_library("libtorch_cuda.so");
    if (!library)
        return fail_unavailable(GS_REASON_NO_LIBRARY, bridge->backend, "%s",
                                loaded_library("libtorch_cpu.so")
                                    ? "the PyTorch in this process was built without CUDA: it has no libtorch_cuda.so"
                                    : "PyTorch is not loaded in this process, which lacks libtorch_cuda.so");
    if (!g_torch_get.find(library, "aoti_torch_get_current_cuda_stream"))
        return fail_unavailable(GS_REASON_TOO_OLD, bridge->backend,
                                "the PyTorch in this process is too old: it has no aoti_torch_get_current_cuda_stream");
    bridge->get = get_torch;
    bridge->set = g_torch_set.find(library, "torch_set_current_cuda_stream") ? set_torch : nullptr;
    return kOk;
}

// ---- Apache TVM FFI: tvm/ffi/extra/c_env_api.h. A table per thread by DLPack's device type and number.
Found<void *(*)(int32_t device_type, int32_t device_id)> g_tvm_get;
Found<int (*)(int32_t device_type, int32_t device_id, void *stream, void **opt_out_original_stream)> g_tvm_set;

int32_t device_type_of(void *arg) noexcept { return static_cast<int32_t>(reinterpret_cast<intptr_t>(arg)); }

int32_t get_tvm(void *arg, int32_t ordinal, uintptr_t *out_native) {
    *out_native = reinterpret_cast<uintptr_t>(g_tvm_get.get()(device_type_of(arg), ordinal));
    return 0;
}

int32_t set_tvm(void *arg, int32_t ordinal, uintptr_t native) {
    return g_tvm_set.get()(device_type_of(arg), ordinal, reinterpret_cast<void *>(native), nullptr);
}

Status find_tvm(gs_bridge_t *bridge) noexcept {
    Backend *backend = nullptr;
    GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
    void *library = loaded_library("libtvm_ffi.so");
    if (!library)
        return fail_unavailable(GS_REASON_NO_LIBRARY, backend->kind(),
                                "TVM FFI is not loaded in this process, which lacks libtvm_ffi.so");
    const bool get = g_tvm_get.find(library, "TVMFFIEnvGetStream");
    if (!g_tvm_set.find(library, "TVMFFIEnvSetStream") || !get)
        return fail_unavailable(GS_REASON_TOO_OLD, backend->kind(),
                                "the TVM FFI in this process is too old: it has no %s",
                                get ? "TVMFFIEnvSetStream" : "TVMFFIEnvGetStream");
    bridge->backend = backend->kind();
    bridge->get = get_tvm;
    bridge->set = set_tvm;
    bridge->arg = reinterpret_cast<void *>(intptr_t{dlpack_type_of(backend->kind())});
    return kOk;
}

// ---- ExecuTorch: extension/cuda/caller_stream.h. A thread chooses one stream for all devices. Before it has chosen, its delegates
// use the thread's own default stream, so that stream stands for "not chosen" here. The library exports C++ only: a guard holds the
// stream that was chosen before it, and its destructor chooses that stream again. So the destructor alone can choose any stream.
struct CallerStream { // std::optional<cudaStream_t>, and all that a CallerStreamGuard has
    void *stream;
    bool is_chosen;
};
Found<CallerStream (*)()> g_executorch_get;
Found<void (*)(CallerStream *guard)> g_executorch_end_guard;

constexpr uintptr_t kStreamPerThread = 2; // CU_STREAM_PER_THREAD

int32_t get_executorch(void *, int32_t, uintptr_t *out_native) {
    const CallerStream caller = g_executorch_get.get()();
    *out_native = caller.is_chosen ? reinterpret_cast<uintptr_t>(caller.stream) : kStreamPerThread;
    return 0;
}

int32_t set_executorch(void *, int32_t, uintptr_t native) {
    CallerStream guard{reinterpret_cast<void *>(native), native != kStreamPerThread};
    g_executorch_end_guard.get()(&guard);
    return 0;
}

Status find_executorch(gs_bridge_t *bridge) noexcept {
    bridge->backend = backend_of_dlpack(kDlCuda);
    // The first name is that of ExecuTorch's shared build, the second that of its static one.
    void *library = nullptr;
    for (const char *name : {"libexecutorch_extension_cuda.so.1", "libexecutorch_extension_cuda.so",
                             "libextension_cuda.so.1", "libextension_cuda.so"})
        if (!library) library = loaded_library(name);
    if (!library)
        return fail_unavailable(GS_REASON_NO_LIBRARY, bridge->backend,
                                "ExecuTorch's CUDA extension is not loaded in this process, which lacks "
                                "libexecutorch_extension_cuda.so or libextension_cuda.so");
    const bool get = g_executorch_get.find(library, "_ZN10executorch9extension4cuda15getCallerStreamEv");
    if (!g_executorch_end_guard.find(library, "_ZN10executorch9extension4cuda17CallerStreamGuardD1Ev") || !get)
        return fail_unavailable(GS_REASON_TOO_OLD, bridge->backend,
                                "the ExecuTorch in this process is too old: it has no %s",
                                get ? "CallerStreamGuard" : "getCallerStream()");
    bridge->get = get_executorch;
    bridge->set = set_executorch;
    return kOk;
}

constexpr struct {
    const char *name;
    Status (*find)(gs_bridge_t *bridge) noexcept;
} kBuiltIn[] = {{"torch", find_torch}, {"tvm_ffi", find_tvm}, {"executorch", find_executorch}};

} // namespace

Status register_built_in(const char *name, int32_t *out_id) noexcept {
    for (const auto &built_in : kBuiltIn) {
        if (std::strcmp(name, built_in.name) != 0) continue;
        gs_bridge_t bridge{};
        bridge.name = built_in.name;
        GS_TRY(built_in.find(&bridge));
        const Status status = register_bridge(bridge, out_id);
        if (status.ok()) return kOk;
        // Another thread may have been faster.
        *out_id = registered_bridge(name);
        return *out_id != 0 ? kOk : status;
    }
    return fail(GS_ERROR_INVALID_ARGUMENT, "no bridge has the name '%.64s'; built in are torch, tvm_ffi and executorch",
                name);
}

} // namespace gs
