// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"
#include "backend/registry.hpp"
#if defined(GPUSTREAM_WITH_CUDA)
#include "backend/cuda/cuda_backend.hpp"
#endif

namespace gs {
namespace {

#if !defined(GPUSTREAM_WITH_CUDA)
constexpr Backend &(*cuda_backend)() noexcept = nullptr;
constexpr Status (*cuda_no_device)() noexcept = nullptr;
#endif

constexpr BackendRow kRows[kBackendKinds] = {
    {GS_BACKEND_HOST, "host", BackendRole::Fallback, host_backend, 1},
    {GS_BACKEND_CUDA, "cuda", BackendRole::Accelerator, cuda_backend, 2, "/dev/nvidiactl", cuda_no_device},
    {GS_BACKEND_HIP, "hip", BackendRole::Reserved, nullptr, 10},
};

constexpr bool is_sound() noexcept {
    int fallbacks = 0;
    for (int i = 0; i < kBackendKinds; ++i) {
        if (kRows[i].kind != i + 1) return false;
        if (kRows[i].role == BackendRole::Fallback) ++fallbacks;
    }
    return fallbacks == 1;
}
static_assert(is_sound(), "rows are in the order of their kinds, and one is the fallback");

} // namespace

std::span<const BackendRow, kBackendKinds> backend_rows() noexcept { return kRows; }

} // namespace gs
