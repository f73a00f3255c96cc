// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridge_table.hpp"

#include <cstring>

#include "backend/registry.hpp"
#include "base/dynlib.hpp"
#include "base/fork_state.hpp"
#include "base/lock.hpp"
#include "core/device/device_table.hpp"

namespace gs {

Bridge g_bridges[kMaxBridges];
std::atomic<uint32_t> g_notified_bridges{0};
std::atomic<int32_t> g_followed_bridge{-1};

namespace {

Mutex g_bridge_table_mutex;
int32_t g_last_id GS_GUARDED_BY(g_bridge_table_mutex) = 0;
// Under g_bridge_table_mutex too, which a fork holds when it changes them in the child.
uint32_t g_led = 0;
uint32_t g_taken = 0; // places that are registered, or not free again yet

constexpr uint32_t bit(int place) noexcept { return uint32_t{1} << place; }

Status no_such_bridge(int32_t id) noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "no bridge has the number %d", id);
}

int place_of(int32_t id) noexcept GS_REQUIRES(g_bridge_table_mutex) {
    for (int i = 0; i < kMaxBridges; ++i)
        if (id > 0 && g_bridges[i].id.load(std::memory_order_relaxed) == id) return i;
    return -1;
}

int32_t id_of(const char *name) noexcept GS_REQUIRES(g_bridge_table_mutex) {
    for (const Bridge &bridge : g_bridges) {
        const int32_t id = bridge.id.load(std::memory_order_relaxed);
        if (id != 0 && std::strcmp(bridge.name, name) == 0) return id;
    }
    return 0;
}

// From now on, or no longer, current-stream calls take the way of bridges.
void update_notified() noexcept GS_REQUIRES(g_bridge_table_mutex) {
    const int followed = g_followed_bridge.load(std::memory_order_relaxed);
    g_notified_bridges.store(g_led | (followed >= 0 ? bit(followed) : 0), std::memory_order_seq_cst);
    if (g_notified_bridges.load(std::memory_order_relaxed) != 0) g_rare_state.fetch_or(kRareBridges);
}

// Nothing is registered in a forked child.
void on_fork_in_child() noexcept {
    for (Bridge &bridge : g_bridges) bridge.id.store(0, std::memory_order_relaxed);
    g_notified_bridges.store(0, std::memory_order_relaxed);
    g_followed_bridge.store(-1, std::memory_order_relaxed);
    g_led = 0; // this thread holds the lock for the fork
    g_taken = 0;
    g_rare_state.fetch_and(~uint32_t{kRareBridges}, std::memory_order_relaxed);
}

void guard_bridges_in_fork() noexcept {
    register_fork_mutex(g_bridge_table_mutex, ForkLock::Always);
    register_fork_child_hook(on_fork_in_child);
}

} // namespace

Status register_bridge(const gs_bridge_t &bridge, int32_t *out_id) noexcept {
    guard_bridges_in_fork();
    MutexLock lock(g_bridge_table_mutex);
    if (id_of(bridge.name) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a bridge with the name '%s' is registered already", bridge.name);
    int place = 0;
    while (place < kMaxBridges && (g_taken & bit(place))) ++place;
    if (place == kMaxBridges || g_last_id == INT32_MAX)
        return fail(GS_ERROR_OUT_OF_MEMORY, "at most %d bridges can be registered", kMaxBridges);
    g_taken |= bit(place);
    Bridge &entry = g_bridges[place];
    entry.backend.store(bridge.backend, std::memory_order_relaxed);
    entry.get = bridge.get;
    entry.set = bridge.set;
    entry.set_device = bridge.set_device;
    entry.arg = bridge.arg;
    std::memcpy(entry.name, bridge.name, std::strlen(bridge.name) + 1);
    *out_id = ++g_last_id;
    entry.id.store(*out_id, std::memory_order_release);
    return kOk;
}

int32_t registered_bridge(const char *name) noexcept {
    guard_bridges_in_fork();
    MutexLock lock(g_bridge_table_mutex);
    return id_of(name);
}

Status lead_bridge(int32_t id, bool on) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int place = place_of(id);
    if (place < 0) return no_such_bridge(id);
    if (on && !g_bridges[place].set)
        return fail(GS_ERROR_NOT_SUPPORTED, "bridge '%s' cannot be led: it lacks a function that sets its stream",
                    g_bridges[place].name);
    g_led = on ? g_led | bit(place) : g_led & ~bit(place);
    update_notified();
    return kOk;
}

Status follow_bridge(int32_t id) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int followed = g_followed_bridge.load(std::memory_order_relaxed);
    int place = -1;
    if (id != 0) {
        place = place_of(id);
        if (place < 0) return no_such_bridge(id);
        if (followed >= 0 && followed != place)
            return fail(GS_ERROR_INVALID_ARGUMENT, "bridge '%s' is followed already, and only one can be",
                        g_bridges[followed].name);
    }
    g_followed_bridge.store(place, std::memory_order_seq_cst);
    update_notified();
    return kOk;
}

Status withdraw_bridge(int32_t id, int *out_place) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int place = place_of(id);
    if (place < 0) return no_such_bridge(id);
    g_bridges[place].id.store(0, std::memory_order_seq_cst);
    g_led &= ~bit(place);
    if (g_followed_bridge.load(std::memory_order_relaxed) == place)
        g_followed_bridge.store(-1, std::memory_order_seq_cst);
    update_notified();
    *out_place = place;
    return kOk;
}

void free_bridge(int place) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    g_taken &= ~bit(place);
}

void rest_bridges(bool (*may_rest)() noexcept) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    if (g_notified_bridges.load(std::memory_order_relaxed) == 0 && may_rest())
        g_rare_state.fetch_and(~uint32_t{kRareBridges});
}

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

constexpr struct {
    const char *name;
    Status (*find)(gs_bridge_t *bridge) noexcept;
} kBuiltIn[] = {{"torch", find_torch}, {"tvm_ffi", find_tvm}};

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
    return fail(GS_ERROR_INVALID_ARGUMENT, "no bridge has the name '%.64s'; built in are torch and tvm_ffi", name);
}

} // namespace gs
