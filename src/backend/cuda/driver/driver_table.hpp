// SPDX-License-Identifier: Apache-2.0
// The table of driver functions: typed, named, counted. Filled once by the loader, constant afterwards.
#pragma once

#include <cstdint>

#include "backend/cuda/driver/driver_types.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs::cuda {

// What stands in for an optional function that the driver does not have: same signature, always 801, so that no
// path of the backend can ever call a null pointer.
template <typename Pfn>
struct Absent;
template <typename... Arguments>
struct Absent<CUresult(CUDAAPI *)(Arguments...)> {
    static CUresult CUDAAPI call(Arguments...) { return CUDA_ERROR_NOT_SUPPORTED; }
};

template <typename Pfn>
struct Function {
    Pfn pfn = &Absent<Pfn>::call;

    bool present() const noexcept { return pfn != &Absent<Pfn>::call; }

    template <typename... Arguments>
    CUresult operator()(ThreadBlock &thread, Arguments... arguments) const noexcept {
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

// The process's table. Written before start() returns OK, only read after.
extern DriverTable g_driver __attribute__((visibility("hidden")));

// Where symbols come from: the dynamic loader, or a table in a unit test.
using FindSymbol = void *(*)(void *library, const char *name);

// Oldest supported driver, in the driver's own number form (1000 * major + 10 * minor).
inline constexpr int kOldestDriver = 12000;

// Fills the table and stores the driver's version. UNAVAILABLE with STUB, TOO_OLD (text says which version was found)
// or NO_SYMBOL (text says which one is missing). Does not initialise the driver.
Status load_driver_table(void *library, FindSymbol find, DriverTable *table, int *out_version) noexcept;

// The library's path: GPUSTREAM_LIBCUDA where that may be trusted, else the driver's own name.
const char *driver_library_path(bool *out_overridden) noexcept;

// The thread whose counters a function without a thread parameter adds to. When memory is out there is none; the
// calls are then not counted.
ThreadBlock &counting_thread() noexcept;

} // namespace gs::cuda
