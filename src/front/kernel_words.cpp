// SPDX-License-Identifier: Apache-2.0
#include "front/kernel_words.hpp"

#include <cstring>

#include "front/driver.hpp"

namespace gs::front {
namespace {

constexpr size_t kMostArgumentBytes = 512; // of an argument
constexpr uint64_t kFirstAddress = 4096;

// Programs of the runtime launch a CUkernel, which cuFuncGetParamInfo refuses.
std::vector<size_t> sizes_of_parameters(uintptr_t kernel) {
    std::vector<size_t> sizes;
    size_t offset = 0, bytes = 0;
    while (g_real.get_parameter(reinterpret_cast<CUfunction>(kernel), sizes.size(), &offset, &bytes) == CUDA_SUCCESS)
        sizes.push_back(bytes);
    if (!sizes.empty() || !g_real.get_kernel_parameter) return sizes;
    while (g_real.get_kernel_parameter(reinterpret_cast<CUkernel>(kernel), sizes.size(), &offset, &bytes) ==
           CUDA_SUCCESS)
        sizes.push_back(bytes);
    return sizes;
}

} // namespace

std::vector<KernelWord> words_of(const Call &launch) {
    std::vector<KernelWord> found;
    if (!g_real.get_parameter || launch.other == 0) return found;
    void *const *values = reinterpret_cast<void *const *>(launch.other);
    const std::vector<size_t> sizes = sizes_of_parameters(launch.object);
    for (uint32_t i = 0; i < sizes.size(); ++i)
        for (uint32_t at = 0; sizes[i] % 8 == 0 && at < sizes[i] && at < kMostArgumentBytes; at += 8) {
            uint64_t value = 0;
            std::memcpy(&value, static_cast<const char *>(values[i]) + at, sizeof value);
            if (value >= kFirstAddress) found.push_back({i, at, value});
        }
    return found;
}

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
