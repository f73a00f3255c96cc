// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 of `gpustream run`: binds each name to the real driver's function, or to the wrapper of a watched one.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/dynlib.hpp"
#include "base/log.hpp"
#include "front/call.hpp"
#include "front/driver.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"

#define F(name) +1
inline constexpr size_t kDriverNames = 0
#include "front/driver_names.inc"
    ;
#undef F

// Read by the jumps of trampolines.S, in the order of the names.
extern "C" __attribute__((visibility("hidden"))) void *g_front_targets[kDriverNames];
void *g_front_targets[kDriverNames];

namespace gs::front {

RealDriver g_real{};

namespace {

constexpr const char *kNames[] = {
#define F(name) #name,
#include "front/driver_names.inc"
#undef F
};

void *g_library = nullptr;

// What the real driver returns, and what the program gets for it. By address; written when the library is loaded.
struct Replacement {
    void *real, *ours;
};
constexpr size_t kMostReplacements = 512;
Replacement g_replacements[kMostReplacements];
size_t g_replacement_count = 0;

CUresult no_such_function() noexcept { return CUDA_ERROR_NOT_FOUND; }
CUresult no_driver() noexcept { return CUDA_ERROR_NO_DEVICE; }

// The first form stays, where one address serves two.
void replace(void *real, void *ours) noexcept {
    const bool known = std::any_of(g_replacements, g_replacements + g_replacement_count,
                                   [&](const Replacement &one) { return one.real == real; });
    if (real && !known && g_replacement_count < kMostReplacements) g_replacements[g_replacement_count++] = {real, ours};
}

void *ours_for(void *real) noexcept {
    const auto by_address = [](const Replacement &one, void *address) { return one.real < address; };
    Replacement *const end = g_replacements + g_replacement_count;
    const Replacement *found = std::lower_bound(+g_replacements, end, real, by_address);
    return found != end && found->real == real ? found->ours : real;
}

CUresult get_proc_address(const char *symbol, void **out, int version, cuuint64_t flags) noexcept {
    const CUresult result = g_real.get_proc_address_11(symbol, out, version, flags);
    if (result == CUDA_SUCCESS && out) *out = ours_for(*out);
    return result;
}

CUresult get_proc_address_2(const char *symbol, void **out, int version, cuuint64_t flags,
                            CUdriverProcAddressQueryResult *why) noexcept {
    const CUresult result = g_real.get_proc_address_12(symbol, out, version, flags, why);
    if (result == CUDA_SUCCESS && out) *out = ours_for(*out);
    return result;
}

void **target_of(const char *symbol) noexcept {
    const auto before = [](const char *one, const char *other) { return std::strcmp(one, other) < 0; };
    const auto *found = std::lower_bound(std::begin(kNames), std::end(kNames), symbol, before);
    const bool same = found != std::end(kNames) && std::strcmp(*found, symbol) == 0;
    return same ? &g_front_targets[found - kNames] : nullptr;
}

void *ask_driver(const char *name, int version, bool per_thread) noexcept {
    void *found = nullptr;
    const cuuint64_t flags =
        per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    CUdriverProcAddressQueryResult why = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (g_real.get_proc_address_12)
        return g_real.get_proc_address_12(name, &found, version, flags, &why) == CUDA_SUCCESS ? found : nullptr;
    if (g_real.get_proc_address_11)
        return g_real.get_proc_address_11(name, &found, version, flags) == CUDA_SUCCESS ? found : nullptr;
    return nullptr;
}

// By its symbol, and by what the driver's own lookup returns for it, which may be another address.
void watch_row(size_t row) noexcept {
    const CallRow &call = kCallRows[row];
    void **target = target_of(call.symbol);
    void *exported = find_symbol(g_library, call.symbol), *asked = ask_driver(call.name, call.version, call.per_thread);
    g_real_calls[row] = exported ? exported : asked;
    if (!g_real_calls[row]) return;
    if (target && exported) *target = call.wrapper;
    replace(exported, call.wrapper);
    replace(asked, call.wrapper);
}

template <typename Function>
void bind(Function *out, const char *symbol) noexcept {
    void *found = find_symbol(g_library, symbol);
    std::memcpy(out, &found, sizeof found);
}

void bind_driver() noexcept {
    for (size_t i = 0; i < kDriverNames; ++i) {
        void *found = find_symbol(g_library, kNames[i]);
        g_front_targets[i] = found ? found : reinterpret_cast<void *>(&no_such_function);
    }
#define REAL(member, type, symbol) bind(&g_real.member, #symbol);
#include "front/real_driver.inc"
#undef REAL
    if (g_settings.watch == 0) return; // then a function is found where the real one is
    for (size_t row = 0; row < kCallRowCount; ++row) watch_row(row);
    const auto lookup = [](const char *symbol, void *ours) {
        replace(find_symbol(g_library, symbol), ours);
        if (find_symbol(g_library, symbol)) *target_of(symbol) = ours;
    };
    lookup("cuGetProcAddress", reinterpret_cast<void *>(&get_proc_address));
    lookup("cuGetProcAddress_v2", reinterpret_cast<void *>(&get_proc_address_2));
    std::sort(g_replacements, g_replacements + g_replacement_count,
              [](const Replacement &one, const Replacement &other) { return one.real < other.real; });
}

// The program's first call may come in another library's constructor, after this one's: the loader runs those of what a
// library needs first. No function of the driver that starts it is called here.
__attribute__((constructor)) void start_front() noexcept {
    std::fill(std::begin(g_front_targets), std::end(g_front_targets), reinterpret_cast<void *>(&no_driver));
    if (!read_settings())
        return log_message(GS_LOG_ERROR, "this libcuda.so.1 is for programs that `gpustream run` starts");
    if (!open_library(g_settings.driver, &g_library).ok())
        return log_message(GS_LOG_ERROR, "the CUDA driver '%s' cannot be opened", g_settings.driver);
    bind_driver();
    start_watch();
}

} // namespace
} // namespace gs::front

extern "C" __attribute__((visibility("default"))) const char *gs_front_write_traces(const char *const *logs,
                                                                                    size_t count, const char *file,
                                                                                    int device_times) {
    return gs::front::write_traces(logs, count, file, device_times);
}
