// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml.hpp"

#include <atomic>
#include <cstdio>
#include <new>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/fork_state.hpp"

namespace gs::inventory {
namespace {

GS_DLOPEN_NOTE(kNvmlNote, "telemetry", "inventory and telemetry of NVIDIA GPUs", "libnvidia-ml.so.1");

constexpr int kNeeded = 3; // the functions at the head of the list

std::atomic<const NvmlTable *> g_table{nullptr}; // set once, immortal
std::atomic<int32_t> g_inside{0};
std::atomic<bool> g_unusable{false};
std::atomic<bool> g_absent{false}; // could not be opened
std::atomic<bool> g_forked{false}; // the process has not initialised NVML, but its parent may have

// On the child's only thread, within fork().
void after_fork_in_child() noexcept {
    if (g_inside.exchange(0, std::memory_order_relaxed) > 0) g_unusable.store(true, std::memory_order_relaxed);
    g_forked.store(true, std::memory_order_relaxed);
}

const char *override_of(Variable variable) noexcept {
    const char *path = env_text(variable);
    return path && *path != '\0' ? path : nullptr;
}

Status open_nvml(void **out) noexcept {
    const char *chosen = override_of(Variable::LibNvml);
    // NVML describes the GPUs of this machine's driver. Another driver's devices are not these.
    if (!chosen && override_of(Variable::LibCuda))
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_CUDA,
                                "GPUSTREAM_LIBCUDA names another driver; NVML would report other devices "
                                "(GPUSTREAM_LIBNVML can name the NVML that belongs to that driver)");
    if (open_library(chosen ? chosen : "libnvidia-ml.so.1", out).ok()) return kOk;
    g_absent.store(true, std::memory_order_relaxed);
    char reason[256]; // the new record would overwrite the text it is made from
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_CUDA, "no NVML: %s%s", reason,
                            chosen ? " (GPUSTREAM_LIBNVML)" : "");
}

// In a child that must not load libraries, what the parent had found out still holds.
Status refuse_to_load() noexcept {
    if (g_absent.load(std::memory_order_relaxed))
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_CUDA,
                                "no NVML: opening it failed before this process was forked");
    return fail(GS_ERROR_BAD_FORK, "this process was forked from one with several threads before NVML was opened, "
                                   "so it cannot be loaded here");
}

template <typename Pointer>
bool fill(void *library, NvmlFunction<Pointer> *function) noexcept {
    void *found = find_symbol(library, function->name);
    if (found) function->call = reinterpret_cast<Pointer>(found);
    return found != nullptr;
}

// The first function that is needed and that the library lacks.
class Missing {
public:
    void note(bool found, const char *name) noexcept {
        if (!found && position_ < kNeeded && !name_) name_ = name;
        ++position_;
    }
    const char *name() const noexcept { return name_; }

private:
    int position_ = 0;
    const char *name_ = nullptr;
};

Status fill_table(void *library, NvmlTable *table) noexcept {
    Missing missing;
#define X(field, symbol, arguments) missing.note(fill(library, &table->field), #symbol);
#include "inventory/nvml/nvml_functions.inc"
    if (!missing.name()) return kOk;
    return fail_unavailable(GS_REASON_NO_SYMBOL, GS_BACKEND_CUDA, "the NVML library does not have %s", missing.name());
}

} // namespace

// Several threads may do this at the same time: opening and nvmlInit count their users, and the table that is
// complete first stays.
Status NvmlUse::load() noexcept {
    if (!may_load_libraries()) return refuse_to_load();
    enter(); // also while a thread opens it: a child forked then would wait for the loader's locks
    void *library = nullptr;
    GS_TRY(open_nvml(&library));
    auto *table = new (std::nothrow) NvmlTable;
    if (!table) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the table of NVML functions");
    Status status = fill_table(library, table);
    if (status.ok()) {
        const NvmlReturn result = table->init();
        if (result != kNvmlSuccess) status = nvml_failure(result, table->init.name);
    }
    if (!status.ok()) {
        delete table;
        return status;
    }
    const NvmlTable *expected = nullptr;
    if (!g_table.compare_exchange_strong(expected, table, std::memory_order_acq_rel)) {
        table->shutdown(); // the other one keeps NVML initialised
        delete table;
        table_ = expected;
    } else {
        table_ = table;
    }
    return kOk;
}

void NvmlUse::enter() noexcept {
    register_fork_child_hook(after_fork_in_child);
    g_inside.fetch_add(1, std::memory_order_acq_rel);
    inside_ = true;
}

NvmlUse::~NvmlUse() {
    if (!inside_) return;
    // In a child forked inside this use the count restarted at 0.
    int32_t inside = g_inside.load(std::memory_order_relaxed);
    while (inside > 0 && !g_inside.compare_exchange_weak(inside, inside - 1, std::memory_order_acq_rel)) {}
}

Status NvmlUse::ready() noexcept {
    if (g_unusable.load(std::memory_order_relaxed))
        return fail(GS_ERROR_BAD_FORK,
                    "this process was forked while another thread was opening or inside NVML, whose locks may "
                    "stay held here");
    table_ = g_table.load(std::memory_order_acquire);
    if (!table_) return load();
    enter();
    return g_forked.load(std::memory_order_acquire) ? initialise_again() : kOk;
}

// NVML fails in a process other than the one that initialised it. Several threads may do this at the same time, too.
Status NvmlUse::initialise_again() noexcept {
    const NvmlReturn result = table_->init();
    if (result != kNvmlSuccess) return nvml_failure(result, table_->init.name);
    g_forked.store(false, std::memory_order_release);
    return kOk;
}

Status nvml_failure(NvmlReturn code, const char *function) noexcept {
    const NativeError native{GS_BACKEND_CUDA, code, function};
    switch (code) {
    case kNvmlNotSupported:
        return fail_native(GS_ERROR_NOT_SUPPORTED, native, "the device does not offer this (NVML error %d)", code);
    case kNvmlFunctionNotFound:
        return fail_native(GS_ERROR_NOT_SUPPORTED, native, "this version of NVML does not offer this (NVML error %d)",
                           code);
    case kNvmlArgumentVersionMismatch:
    case kNvmlDeprecated:
        return fail_native(GS_ERROR_NOT_SUPPORTED, native, "NVML no longer offers this (NVML error %d)", code);
    case kNvmlDriverNotLoaded:
        return fail_unavailable(GS_REASON_NO_DEVICE, GS_BACKEND_CUDA,
                                "NVML: the NVIDIA kernel module is not loaded (NVML error %d)", code);
    case kNvmlLibraryNotFound:
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_CUDA,
                                "NVML: a library of the driver is missing (NVML error %d)", code);
    case kNvmlVersionMismatch:
        return fail_unavailable(GS_REASON_TOO_OLD, GS_BACKEND_CUDA,
                                "NVML and the NVIDIA kernel module are of different versions: the driver was updated "
                                "without a restart (NVML error %d)",
                                code);
    case kNvmlMemory: return fail_native(GS_ERROR_OUT_OF_MEMORY, native, "NVML is out of memory (NVML error %d)", code);
    case kNvmlNoPermission:
        return fail_native(GS_ERROR_DRIVER, native, "this process may not query the GPU (NVML error %d)", code);
    case kNvmlGpuIsLost:
        return fail_native(GS_ERROR_DRIVER, native, "the GPU is lost: it has fallen off the bus (NVML error %d)", code);
    default: return fail_native(GS_ERROR_DRIVER, native, "NVML failed (NVML error %d)", code);
    }
}

} // namespace gs::inventory
