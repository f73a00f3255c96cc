// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/driver_faults.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <iterator>
#include <string>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/harness.hpp"
#include "support/fake_cuda/fake_cuda.h"

namespace gs::fuzz {
namespace {

struct Controls {
    decltype(&fake_cuda_inject) inject = nullptr;
    decltype(&fake_cuda_clear_fault) clear = nullptr;
    decltype(&fake_cuda_pause_faults) pause = nullptr;
    decltype(&fake_cuda_injected) injected = nullptr;
    decltype(&fake_cuda_thread_id) thread = nullptr;
    decltype(&fake_cuda_live) live = nullptr;
    decltype(&fake_cuda_violations) violations = nullptr;
};

// Of the library that GPUSTREAM_LIBCUDA names; null pointers if it is not the fake driver.
const Controls &controls() {
    static const Controls found = [] {
        Controls all;
        const char *path = std::getenv("GPUSTREAM_LIBCUDA");
        void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
        if (!library || !dlsym(library, "fake_cuda_inject")) return all;
        const auto find = [&](auto *out, const char *name) {
            *out = reinterpret_cast<std::remove_pointer_t<decltype(out)>>(dlsym(library, name));
            FUZZ_REQUIRE(*out, name);
        };
        find(&all.inject, "fake_cuda_inject");
        find(&all.clear, "fake_cuda_clear_fault");
        find(&all.pause, "fake_cuda_pause_faults");
        find(&all.injected, "fake_cuda_injected");
        find(&all.thread, "fake_cuda_thread_id");
        find(&all.live, "fake_cuda_live");
        find(&all.violations, "fake_cuda_violations");
        return all;
    }();
    return found;
}

// Errors that any call may have and that leave the device usable: arguments, memory, the operating system, unknown.
constexpr int kCodes[] = {1, 2, 304, 999};

void inject(Arguments &a) {
    const uint8_t nth = a.byte(), code = a.byte(), how = a.byte();
    if (!controls().inject) return;
    fake_cuda_fault_t fault{};
    fault.nth = nth % 8u + 1;
    fault.thread = controls().thread();
    fault.code = kCodes[code % std::size(kCodes)];
    fault.phase = how & 1 ? FAKE_CUDA_AFTER : FAKE_CUDA_BEFORE;
    fault.mode = how & 2 ? FAKE_CUDA_PERSISTENT : FAKE_CUDA_TRANSIENT;
    fault.device = -1;
    a.program().refused += end_faults();
    a.program().faulty = true;
    controls().inject(&fault);
}

} // namespace

WithoutFaults::WithoutFaults() {
    if (controls().pause) controls().pause(1);
}
WithoutFaults::~WithoutFaults() {
    if (controls().pause) controls().pause(0);
}

Call fault_call() { return {"fake_cuda_inject", {}, Ownership::None, inject}; }

uint64_t end_faults() {
    if (!controls().inject) return 0;
    const uint64_t count = controls().injected(nullptr, 0);
    controls().clear();
    return count;
}

std::vector<size_t> driver_objects() {
    std::vector<size_t> counts;
    for (int32_t kind = 0; controls().live && kind < FAKE_CUDA_KINDS; ++kind) counts.push_back(controls().live(kind));
    return counts;
}

void check_violations() {
    if (!controls().violations) return;
    char text[2000] = "";
    FUZZ_REQUIRE(controls().violations(text, sizeof text) == 0, text);
}

} // namespace gs::fuzz
