// SPDX-License-Identifier: Apache-2.0
// The table of driver functions: typed, named, counted. Filled once by the loader, constant afterwards.
#pragma once

#include <cstdint>

#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_types.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"

// UndefinedBehaviorSanitizer's check of a called function's type; GCC's has none.
#if defined(__clang__)
#define GS_CALLS_ANY_FUNCTION __attribute__((no_sanitize("function")))
#else
#define GS_CALLS_ANY_FUNCTION
#endif

namespace gs::cuda {

// Stands in for each optional function that the driver lacks. It returns 801, so that the backend always calls a
// valid pointer. One function serves all of them and ignores its arguments: where the CUDA driver exists, callers
// pass arguments in registers and on a stack that they clean up themselves. With one function for each signature, a
// hundred functions, their unwinding tables and the loader's relocations took 10 KB.
CUresult absent_function() noexcept;

template <typename Pfn>
struct Function {
    Pfn pfn = nullptr; // until the table is loaded, which the backend's start does first

    static Pfn absent() noexcept { return reinterpret_cast<Pfn>(reinterpret_cast<void (*)()>(&absent_function)); }
    bool present() const noexcept { return pfn != absent(); }

    template <typename... Arguments>
    GS_CALLS_ANY_FUNCTION CUresult operator()(ThreadBlock &thread, Arguments... arguments) const noexcept {
        thread.counters.driver_calls.add();
        return pfn(arguments...);
    }
};

// Each function's name is part of its type: in the table it would be a pointer that the loader has to relocate.
struct DriverTable {
#define X(field, function, version, suffix, need)                                                                      \
    struct Of_##field : Function<PFN_##function##_v##version> {                                                        \
        static constexpr char name[] = #function;                                                                      \
    } field;
#include "backend/cuda/driver/driver_functions.inc"
};

// The process's table. Written before start() returns OK, only used afterwards: until then its functions are null.
extern DriverTable g_driver __attribute__((visibility("hidden")));

// Where symbols come from: the dynamic loader, or a table in a unit test.
using FindSymbol = void *(*)(void *library, const char *name);

// Oldest supported driver, in the driver's own number form (1000 * major + 10 * minor).
inline constexpr int kOldestDriver = 12000;

// Replaces every function by the stand-in.
void empty_driver_table(DriverTable *table) noexcept;

// Fills the table and stores the driver's version. UNAVAILABLE with STUB, TOO_OLD (text says which version was found)
// or NO_SYMBOL (text says which one is missing). Does not initialise the driver.
Status load_driver_table(void *library, FindSymbol find, DriverTable *table, int *out_version) noexcept;

// The library's path: GPUSTREAM_LIBCUDA where that may be trusted, else the driver's own name.
const char *driver_library_path(bool *out_overridden) noexcept;

// The thread whose counters a function without a thread parameter adds to. If memory is out, the calls are not
// counted.
ThreadBlock &counting_thread() noexcept;

// Calls that the driver counts as unsafe during a capture fail, and break that capture, when the calling thread is in
// global mode and any thread captures. In relaxed mode they do not; the exchange costs about 6 ns.

// Restores the thread's capture mode; logs a failure.
void restore_capture_mode(ThreadBlock &thread, CUstreamCaptureMode mode) noexcept __attribute__((cold));
// The exchange to relaxed mode failed; it may still have taken effect.
void undo_relaxed_mode(ThreadBlock &thread) noexcept __attribute__((cold));

// Runs op, which returns a CUresult, in relaxed mode. If the mode cannot be changed, op is skipped: *call then names
// the function that failed.
template <typename Operation>
inline CUresult in_relaxed_mode(ThreadBlock &thread, FailedCall *call, Operation &&op) noexcept {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult entered = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (entered != CUDA_SUCCESS) {
        undo_relaxed_mode(thread);
        *call = {g_driver.thread_exchange_capture_mode.name}; // its codes have no meaning of their own for op
        return entered;
    }
    const CUresult result = op();
    if (mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        CUstreamCaptureMode restored = mode;
        if (g_driver.thread_exchange_capture_mode(thread, &restored) != CUDA_SUCCESS)
            restore_capture_mode(thread, mode);
    }
    return result;
}

} // namespace gs::cuda
