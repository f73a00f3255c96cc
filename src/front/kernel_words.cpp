// SPDX-License-Identifier: Apache-2.0
#include "front/kernel_words.hpp"

#include <cstring>

#include "front/driver.hpp"

namespace gs::front {
namespace {

constexpr size_t kMostArgumentBytes = 512; // of an argument
constexpr uint64_t kFirstAddress = 4096;

} // namespace

std::vector<KernelWord> words_of(const Call &launch) {
    std::vector<KernelWord> found;
    if (!g_real.get_parameter || launch.other == 0) return found;
    size_t offset = 0, bytes = 0;
    void *const *values = reinterpret_cast<void *const *>(launch.other);
    for (uint32_t i = 0;
         g_real.get_parameter(reinterpret_cast<CUfunction>(launch.object), i, &offset, &bytes) == CUDA_SUCCESS; ++i)
        for (uint32_t at = 0; bytes % 8 == 0 && at < bytes && at < kMostArgumentBytes; at += 8) {
            uint64_t value = 0;
            std::memcpy(&value, static_cast<const char *>(values[i]) + at, sizeof value);
            if (value >= kFirstAddress) found.push_back({i, at, value});
        }
    return found;
}

// Programs may launch a CUkernel as well.
std::string name_of_kernel(const Call &launch) {
    const char *name = nullptr;
    if (g_real.get_function_name &&
        g_real.get_function_name(&name, reinterpret_cast<CUfunction>(launch.object)) == CUDA_SUCCESS && name)
        return name;
    if (g_real.get_kernel_name &&
        g_real.get_kernel_name(&name, reinterpret_cast<CUkernel>(launch.object)) == CUDA_SUCCESS && name)
        return name;
    return "";
}

} // namespace gs::front
