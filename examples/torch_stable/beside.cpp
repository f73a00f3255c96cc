// SPDX-License-Identifier: Apache-2.0
// An extension of PyTorch that copies in a stream of its own, beside PyTorch's. It uses the stable C ABI of PyTorch 2.10, so one
// file serves that version and all later ones.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <atomic>

// Extensions with kernels launch them in side.raw(); this copy also runs where there is no GPU.
#define GPUSTREAM_TORCH_STABLE_MORE(X) X(gs_memcpy_async)
#include <gpustream_torch_stable.h>

namespace gt = gpustream::torch_stable;
using torch::stable::Tensor;

namespace {

std::atomic<int64_t> tensors_held{0};

// The copy begins behind what the current stream has now, and what the current stream gets next comes behind the copy. Both
// tensors live until it is done, whatever the program does with them.
Tensor copy_beside(Tensor source) {
    if (!source.is_contiguous()) throw gt::error("copy_beside() takes contiguous tensors", GS_ERROR_INVALID_ARGUMENT);
    Tensor target = torch::stable::empty_like(source);
    const int32_t device = source.get_device_index();
    const gt::stream current = gt::current_stream(device), side(device);
    gt::wait(side, current);
    gt::check(gt::functions().gs_memcpy_async(target.mutable_data_ptr(), source.const_data_ptr(),
                                              static_cast<size_t>(source.numel()) * source.element_size(), side.get()));
    tensors_held += 2;
    gt::free_after(side, [source, target] { tensors_held -= 2; });
    gt::wait(current, side);
    return target;
}

// Tensors that wait for their release.
int64_t held() { return tensors_held; }

} // namespace

STABLE_TORCH_LIBRARY(gpustream_example, library) {
    library.def("copy_beside(Tensor source) -> Tensor");
    library.def("held() -> int");
}

STABLE_TORCH_LIBRARY_IMPL(gpustream_example, CompositeExplicitAutograd, library) {
    library.impl("copy_beside", TORCH_BOX(&copy_beside));
    library.impl("held", TORCH_BOX(&held));
}
