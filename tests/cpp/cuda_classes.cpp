// SPDX-License-Identifier: Apache-2.0
// gpustream.hpp beside the headers of CUDA, CCCL and RMM: conversions from and to their classes. The long form of
// scripts/test cpp compiles it with RMM's own CCCL and with a newer one. It runs on the host backend, where a
// cudaStream_t is a number like any other. views_test.cpp has the same with classes made up after them, for every build.
#include <cuda/stream_ref>
#include <cuda_runtime_api.h>
#include <rmm/cuda_stream_view.hpp>

#include <cstdio>
#include <gpustream.hpp>
#include <type_traits>

namespace {

int wrong = 0;

void check(bool right, const char *what) {
    if (right) return;
    ++wrong;
    std::fprintf(stderr, "wrong: %s\n", what);
}

uintptr_t number_of(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream); }
uintptr_t number_of_view(rmm::cuda_stream_view view) { return number_of(view.value()); }

template <typename View>
bool refuses_no_stream() {
    try {
        static_cast<void>(gpustream::stream_ref().as<View>());
    } catch (const gpustream::error &failure) {
        return failure.status() == gpustream::status::invalid_handle;
    }
    return false;
}

} // namespace

static_assert(std::is_convertible_v<const gpustream::stream &, cudaStream_t>);
static_assert(std::is_convertible_v<gpustream::stream_ref, cudaStream_t>);
static_assert(std::is_same_v<decltype(gpustream::stream_ref().as<cuda::stream_ref>()), cuda::stream_ref>);

int main() {
    const gpustream::stream work = gpustream::stream::create();
    const auto cccl = work.as<cuda::stream_ref>();
    const auto rmms = work.as<rmm::cuda_stream_view>();
    check(number_of(work) == work.native(), "a cudaStream_t");
    check(number_of(cccl.get()) == work.native(), "a cuda::stream_ref");
    check(number_of_view(rmms) == work.native(), "an rmm::cuda_stream_view");
    check(number_of_view(static_cast<cudaStream_t>(work)) == work.native(),
          "an rmm::cuda_stream_view of a cudaStream_t");
    check(gpustream::stream::from_native(0, static_cast<cudaStream_t>(work)) == work, "back from a cudaStream_t");
    check(gpustream::stream::from_view(cccl) == work, "back from a cuda::stream_ref");
    check(gpustream::stream::from_view(rmms) == work, "back from an rmm::cuda_stream_view");
    check(gpustream::stream::from_view(rmms, 0) == work, "back from it, with its device");
    check(gpustream::stream::from_view(cuda::stream_ref(cudaStream_t{})) == gpustream::default_stream(0),
          "the null stream");
    check(refuses_no_stream<cuda::stream_ref>(), "a cuda::stream_ref of no stream");
    check(refuses_no_stream<rmm::cuda_stream_view>(), "an rmm::cuda_stream_view of no stream");
    std::printf("11 conversions, %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
