// SPDX-License-Identifier: Apache-2.0
// The entry points: their numbers, names and declarations.
#pragma once

#include <type_traits>

#include "backend/cuda/driver/driver_types.hpp"

// The headers of 12.8 lack these.
typedef CUresult(CUDAAPI *PFN_cuMemGetMemPool_v13000)(CUmemoryPool *, CUmemLocation *, CUmemAllocationType);
typedef CUresult(CUDAAPI *PFN_cuMemGetDefaultMemPool_v13000)(CUmemoryPool *, CUmemLocation *, CUmemAllocationType);

namespace gs::simulated {

enum class Fn : int {
#define X(id, name, version, suffix) id,
#include "simulated/functions.inc"
    Count
};
inline constexpr int kFunctions = static_cast<int>(Fn::Count);

struct FunctionInfo {
    const char *name;   // as cuGetProcAddress knows it
    const char *symbol; // as it is exported
    int version;        // of the driver that introduced it
    void *address;
};
const FunctionInfo &info(Fn fn);
Fn function_of(const char *symbol); // Fn::Count: none

} // namespace gs::simulated

// The label gives each its exported name: cuda.h renames many of them by macro, differently in each release.
#define X(id, name, version, suffix)                                                                                   \
    extern "C" __attribute__((visibility("default"))) std::remove_pointer_t<PFN_##name##_v##version> api_##id __asm__( \
        #name suffix);
#include "simulated/functions.inc"
