// SPDX-License-Identifier: Apache-2.0
// The entry points as a table, and the calls that come before any device: lookup, version, error names, cuInit.
#include "simulated/functions.hpp"

#include <cstdlib>
#include <set>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "simulated/driver_call.hpp"

namespace gs::simulated {
namespace {

const FunctionInfo kTable[kFunctions] = {
#define X(id, name, version, suffix) {#name, #name suffix, version, reinterpret_cast<void *>(&api_##id)},
#include "simulated/functions.inc"
};

struct ErrorName {
    int code;
    const char *name;
};
constexpr ErrorName kErrorNames[] = {
#define E(name, code) {code, #name},
#include "simulated/error_names.inc"
#undef E
};

CUresult error_name(CUresult error, const char **out) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = nullptr;
    for (const ErrorName &entry : kErrorNames)
        if (entry.code == static_cast<int>(error)) *out = entry.name;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool hidden(const World &w, const FunctionInfo &function) { return w.missing.count(function.symbol) != 0; }

// The newest form that the requested version knows, of those that this driver has.
CUresult look_up(const char *symbol, void **pfn, int version, CUdriverProcAddressQueryResult *status) {
    if (!symbol || !pfn) return CUDA_ERROR_INVALID_VALUE;
    const World &w = world();
    // A program must not request a newer version than the driver's.
    if (version > w.version) return CUDA_ERROR_INVALID_VALUE;
    const FunctionInfo *found = nullptr;
    bool exists = false;
    for (const FunctionInfo &function : kTable) {
        if (std::strcmp(function.name, symbol) != 0 || hidden(w, function) || function.version > w.version) continue;
        exists = true;
        if (function.version <= version && (!found || function.version > found->version)) found = &function;
    }
    *pfn = found ? found->address : nullptr;
    if (status)
        *status = found    ? CU_GET_PROC_ADDRESS_SUCCESS
                  : exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                           : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// As CUDA reads the list: up to the first invalid entry, and none if one comes twice.
int visible_devices(int all) {
    const char *list = gs::env_now(gs::Variable::CudaVisible);
    if (!list) return all;
    std::set<long> found;
    for (;; ++list) {
        char *end = nullptr;
        const long device = std::strtol(list, &end, 10);
        if (end == list || device < 0 || device >= all) break;
        if (!found.insert(device).second) return 0;
        list = end;
        if (*list != ',') break;
    }
    return static_cast<int>(found.size());
}

} // namespace

const FunctionInfo &info(Fn fn) { return kTable[static_cast<int>(fn)]; }

Fn function_of(const char *symbol) {
    for (int i = 0; i < kFunctions; ++i)
        if (std::strcmp(kTable[i].symbol, symbol) == 0) return static_cast<Fn>(i);
    return Fn::Count;
}

} // namespace gs::simulated

using namespace gs::simulated;

CUresult api_GetProcAddress11(const char *symbol, void **pfn, int version, cuuint64_t) {
    return call(Fn::GetProcAddress11, [&](Lock &) { return look_up(symbol, pfn, version, nullptr); });
}

CUresult api_GetProcAddress12(const char *symbol, void **pfn, int version, cuuint64_t,
                              CUdriverProcAddressQueryResult *status) {
    return call(Fn::GetProcAddress12, [&](Lock &) { return look_up(symbol, pfn, version, status); });
}

CUresult api_DriverGetVersion(int *out) {
    return call(Fn::DriverGetVersion, [&](Lock &) {
        *out = world().version;
        return CUDA_SUCCESS;
    });
}

CUresult api_GetErrorName(CUresult error, const char **out) {
    return call(Fn::GetErrorName, [&](Lock &) { return error_name(error, out); });
}

CUresult api_GetErrorString(CUresult error, const char **out) {
    return call(Fn::GetErrorString, [&](Lock &) { return error_name(error, out); });
}

CUresult api_Init(unsigned flags) {
    return call(Fn::Init, [&](Lock &) {
        World &w = world();
        if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
        if (w.init_code != 0) return static_cast<CUresult>(w.init_code);
        if (w.hides_devices && !w.initialised.load(std::memory_order_relaxed)) w.devices = visible_devices(w.devices);
        if (w.devices == 0) return CUDA_ERROR_NO_DEVICE;
        return start_world();
    });
}
