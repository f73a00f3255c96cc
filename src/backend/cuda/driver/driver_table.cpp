// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/driver_table.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"

namespace gs::cuda {

constinit DriverTable g_driver{};

namespace {

constinit ThreadBlock g_uncounted{.counters = {}, .pending = {}, .last = {}}; // all zeros take no room in the file

GS_DLOPEN_NOTE(kDriverNote, "cuda", "NVIDIA GPUs", "libcuda.so.1");

constexpr bool REQUIRED = true;
constexpr bool OPTIONAL = false;

// Flag 1: handle 0 means the legacy default stream, whatever macro the caller's program was compiled with.
constexpr cuuint64_t kLegacyDefaultStream = CU_GET_PROC_ADDRESS_LEGACY_STREAM;

// Functions are found in one way for the whole library: the driver's own lookup, or symbols. A driver that says
// "absent" through its own lookup may still export a symbol of that name with other arguments.
class Resolver {
public:
    Resolver(void *library, FindSymbol find) noexcept : library_(library), find_(find) {
        lookup_12_ = reinterpret_cast<PFN_cuGetProcAddress_v12000>(find_(library, "cuGetProcAddress_v2"));
        lookup_11_ = reinterpret_cast<PFN_cuGetProcAddress_v11030>(find_(library, "cuGetProcAddress"));
    }

    // nullptr when the driver does not have this form of the function.
    void *resolve(const char *name, int version, const char *symbol) const noexcept {
        void *found = nullptr; // a stub leaves it as it is
        if (lookup_12_) {
            CUdriverProcAddressQueryResult why = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
            const CUresult result = lookup_12_(name, &found, version, kLegacyDefaultStream, &why);
            return result == CUDA_SUCCESS && why == CU_GET_PROC_ADDRESS_SUCCESS ? found : nullptr;
        }
        if (lookup_11_) {
            const CUresult result = lookup_11_(name, &found, version, kLegacyDefaultStream);
            return result == CUDA_SUCCESS ? found : nullptr;
        }
        return find_(library_, symbol);
    }

private:
    void *library_;
    FindSymbol find_;
    PFN_cuGetProcAddress_v12000 lookup_12_ = nullptr;
    PFN_cuGetProcAddress_v11030 lookup_11_ = nullptr;
};

Status check_version(void *library, FindSymbol find, int *out_version) noexcept {
    // By symbol: its signature never changed, and its failure reveals a stub before any other call.
    auto get_version = reinterpret_cast<PFN_cuDriverGetVersion_v2020>(find(library, "cuDriverGetVersion"));
    if (!get_version)
        return fail_unavailable(GS_REASON_NO_SYMBOL, GS_BACKEND_CUDA,
                                "the CUDA driver library has no cuDriverGetVersion: is it a CUDA driver at all?");
    int version = 0;
    counting_thread().counters.driver_calls.add();
    const CUresult result = get_version(&version);
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return fail_unavailable(
            GS_REASON_STUB, GS_BACKEND_CUDA,
            "the loader found the CUDA Toolkit's stub of libcuda.so.1 instead of a driver: take the "
            "toolkit's lib/stubs folder out of the library path");
    if (result != CUDA_SUCCESS) return fail_start(result, "cuDriverGetVersion");
    if (version < kOldestDriver)
        return fail_unavailable(GS_REASON_TOO_OLD, GS_BACKEND_CUDA,
                                "the driver supports CUDA %d.%d; gpustream needs a driver for CUDA %d.%d or later",
                                version / 1000, version % 1000 / 10, kOldestDriver / 1000, kOldestDriver % 1000 / 10);
    *out_version = version;
    return kOk;
}

// The functions to look up, as numbers: a hundred calls with two texts each would need 5 KB of code, and pointers
// would need relocations. A name is its symbol without the suffix.
struct Symbols {
#define X(field, name, introduced, suffix, need) char of_##field[sizeof #name suffix];
#include "backend/cuda/driver/driver_functions.inc"
};
constexpr Symbols kSymbols{
#define X(field, name, introduced, suffix, need) #name suffix,
#include "backend/cuda/driver/driver_functions.inc"
};

struct Row {
    uint16_t symbol; // where its symbol begins in kSymbols
    uint16_t place;  // of the function in DriverTable
    uint16_t introduced;
    uint8_t name_bytes;
    bool needed;
};
constexpr Row kRows[] = {
#define X(field, name, introduced, suffix, need)                                                                       \
    {offsetof(Symbols, of_##field), offsetof(DriverTable, field), introduced, sizeof #name - 1, need},
#include "backend/cuda/driver/driver_functions.inc"
};
static_assert(sizeof kSymbols <= UINT16_MAX && sizeof(DriverTable) <= UINT16_MAX);
static_assert(sizeof(DriverTable) == std::size(kRows) * sizeof(void *), "a function is its pointer and nothing else");

} // namespace

CUresult absent_function() noexcept { return CUDA_ERROR_NOT_SUPPORTED; }

void empty_driver_table(DriverTable *table) noexcept {
    const auto absent = &absent_function;
    for (const Row &row : kRows) std::memcpy(reinterpret_cast<char *>(table) + row.place, &absent, sizeof absent);
}

Status load_driver_table(void *library, FindSymbol find, DriverTable *table, int *out_version) noexcept {
    int version = 0;
    empty_driver_table(table);
    GS_TRY(check_version(library, find, &version));
    const Resolver resolver(library, find);
    for (const Row &row : kRows) {
        const char *symbol = reinterpret_cast<const char *>(&kSymbols) + row.symbol;
        char name[UINT8_MAX + 1] = {};
        std::memcpy(name, symbol, row.name_bytes);
        if (void *found = resolver.resolve(name, row.introduced, symbol))
            std::memcpy(reinterpret_cast<char *>(table) + row.place, &found, sizeof found);
        else if (row.needed)
            return fail_unavailable(GS_REASON_NO_SYMBOL, GS_BACKEND_CUDA, "the CUDA driver (%d.%d) does not have %s",
                                    version / 1000, version % 1000 / 10, symbol);
    }
    *out_version = version;
    return kOk;
}

const char *driver_library_path(bool *out_overridden) noexcept {
    const char *chosen = env_text(Variable::LibCuda);
    *out_overridden = chosen && *chosen != '\0';
    return *out_overridden ? chosen : "libcuda.so.1";
}

ThreadBlock &counting_thread() noexcept {
    ThreadBlock *thread = this_thread();
    return thread ? *thread : g_uncounted;
}

void restore_capture_mode(ThreadBlock &thread, CUstreamCaptureMode mode) noexcept {
    const CUresult result = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
    log_message(GS_LOG_ERROR, "%s failed, the thread's stream capture mode could not be restored: %s (%d)",
                g_driver.thread_exchange_capture_mode.name, error_text(result), static_cast<int>(result));
}

// The thread's mode can only be read by changing it. If it is relaxed now, either the failed exchange did that, or
// the thread was in that mode before. Global is assumed then, which is the mode of every thread that never changed
// it.
void undo_relaxed_mode(ThreadBlock &thread) noexcept {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult result = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (result == CUDA_ERROR_DEINITIALIZED) return;
    const bool known = result == CUDA_SUCCESS && mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!known) {
        mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
        log_message(GS_LOG_WARNING, "%s failed, the thread's stream capture mode is unknown and set to global",
                    g_driver.thread_exchange_capture_mode.name);
    }
    restore_capture_mode(thread, mode);
}

} // namespace gs::cuda
