// SPDX-License-Identifier: Apache-2.0
// As much of tensors as programs on streams need: made, copied in stream order, viewed. Everything else is computed by the
// CPU's kernels, after the current stream's work.
#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <memory>

#include "calls.hpp"
#include "memory.hpp"

namespace gpustream_torch {
namespace {

using at::Tensor;

const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Device device_of(std::optional<c10::Device> device) {
    return device && device->has_index() ? *device : c10::Device(kType, current_index());
}

Tensor empty_memory_format(c10::IntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout>,
                           std::optional<c10::Device> device, std::optional<bool> pinned,
                           std::optional<c10::MemoryFormat> format) {
    TORCH_CHECK(!pinned.value_or(false), "only memory of the host can be pinned");
    const c10::OptionalDeviceGuard guard(device_of(device));
    return at::detail::empty_generic(size, c10::GetAllocator(kType), kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> dtype,
                     std::optional<c10::Layout>, std::optional<c10::Device> device, std::optional<bool>) {
    const c10::OptionalDeviceGuard guard(device_of(device));
    return at::detail::empty_strided_generic(size, stride, c10::GetAllocator(kType), kKeys,
                                             c10::dtype_or_default(dtype));
}

// The same memory for the CPU's kernels; the caller has waited for the work on it.
Tensor seen_by_cpu(const Tensor &tensor) {
    if (tensor.device().is_cpu()) return tensor;
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                         tensor.options().device(c10::kCPU).requires_grad(false));
}

bool same_layout(const Tensor &a, const Tensor &b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
           a.is_non_overlapping_and_dense() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

// Memory of the host that is not pinned may be freed, or changed, as soon as the call returns.
bool may_stay_pending(const Tensor &tensor) { return !tensor.device().is_cpu() || is_pinned(tensor.data_ptr()); }

// Memory of the host lives until the copy is done. That of a device is freed in the order of its stream, or after those that
// record_stream names.
void keep_until_done(gs_stream_t stream, const Tensor &tensor) {
    if (!tensor.device().is_cpu()) return;
    auto kept = std::make_unique<Tensor>(tensor);
    check(gs_stream_notify(stream, [](void *arg, gs_status_t) { delete static_cast<Tensor *>(arg); }, kept.get()));
    (void)kept.release();
}

Tensor copy_from(const Tensor &from, const Tensor &to, bool non_blocking) {
    if (to.numel() == 0) return to;
    const c10::Device device = from.device().type() == kType ? from.device() : to.device();
    const c10::DeviceGuard guard(device);
    gs_stream_t stream = current_stream(device.index());
    // Between two devices the work of both current streams comes first.
    if (to.device().type() == kType && to.device() != device)
        check(gs_stream_wait_stream(stream, current_stream(to.device().index())));
    if (!same_layout(from, to)) {
        check(gs_stream_synchronize(stream));
        seen_by_cpu(to).copy_(seen_by_cpu(from));
        return to;
    }
    check(gs_memcpy_async(to.data_ptr(), from.data_ptr(), to.nbytes(), stream));
    if (non_blocking && may_stay_pending(from) && may_stay_pending(to)) {
        keep_until_done(stream, from);
        keep_until_done(stream, to);
    } else {
        check(gs_stream_synchronize(stream));
    }
    if (to.device().type() == kType && to.device() != device)
        check(gs_stream_wait_stream(current_stream(to.device().index()), stream));
    return to;
}

Tensor copy_from_and_resize(const Tensor &from, const Tensor &to) {
    if (to.sizes() != from.sizes()) to.resize_(from.sizes());
    return copy_from(from, to, false);
}

at::Scalar local_scalar(const Tensor &tensor) { return tensor.cpu().item(); }

// Makes a tensor's storage at least so large, in the order of the current stream.
void grow_storage(const Tensor &self, size_t bytes) {
    const c10::Storage &storage = self.storage();
    if (bytes <= storage.nbytes()) return;
    TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
    const c10::DeviceGuard guard(self.device());
    c10::DataPtr grown = c10::GetAllocator(kType)->allocate(bytes);
    if (storage.nbytes() != 0) {
        gs_stream_t stream = current_stream(self.device().index());
        check(gs_memcpy_async(grown.get(), storage.data(), storage.nbytes(), stream));
        record_stream(storage.data_ptr(), to_torch(stream)); // which may not be the one that it is freed in
    }
    storage.unsafeGetStorageImpl()->set_data_ptr(std::move(grown));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
}

// As the CPU's: a tensor that has the size keeps its strides.
const Tensor &resize(const Tensor &self, c10::SymIntArrayRef size, std::optional<c10::MemoryFormat> format) {
    const auto wanted = C10_AS_INTARRAYREF_SLOW(size);
    if (self.sizes() != wanted) {
        grow_storage(self, at::detail::computeStorageNbytesContiguous(wanted, self.dtype().itemsize(),
                                                                      static_cast<size_t>(self.storage_offset())));
        self.unsafeGetTensorImpl()->set_sizes_contiguous(wanted);
    }
    if (format) self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    return self;
}

Tensor as_strided(const Tensor &self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                  std::optional<c10::SymInt> offset) {
    return at::cpu::as_strided_symint(self, size, stride, offset);
}
Tensor view(const Tensor &self, c10::SymIntArrayRef size) {
    return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}
Tensor reshape_alias(const Tensor &self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
    return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}
Tensor &set_storage(Tensor &self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                    c10::SymIntArrayRef stride) {
    const auto sizes = C10_AS_INTARRAYREF_SLOW(size), strides = C10_AS_INTARRAYREF_SLOW(stride);
    const int64_t first = offset.expect_int();
    at::native::checkSetStorage(self, std::move(source), first, sizes, strides);
    const size_t itemsize = self.dtype().itemsize(), before = static_cast<size_t>(first);
    c10::TensorImpl *const tensor = self.unsafeGetTensorImpl();
    if (strides.data()) {
        grow_storage(self, at::detail::computeStorageNbytes(sizes, strides, itemsize, before));
        tensor->set_sizes_and_strides(sizes, strides, first);
    } else {
        grow_storage(self, at::detail::computeStorageNbytesContiguous(sizes, itemsize, before));
        tensor->set_storage_offset(first);
        tensor->set_sizes_contiguous(sizes);
    }
    return self;
}

void record_tensor(Tensor &tensor, at::Stream stream) { record_stream(tensor.storage().data_ptr(), stream); }

void computed_by_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
    check(gs_stream_synchronize(current_stream(current_index())));
    at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&computed_by_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
    library.impl("empty.memory_format", TORCH_FN(empty_memory_format));
    library.impl("empty_strided", TORCH_FN(empty_strided));
    library.impl("_copy_from", TORCH_FN(copy_from));
    library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
    library.impl("_local_scalar_dense", TORCH_FN(local_scalar));
    library.impl("resize_", TORCH_FN(resize));
    library.impl("as_strided", TORCH_FN(as_strided));
    library.impl("view", TORCH_FN(view));
    library.impl("_reshape_alias", TORCH_FN(reshape_alias));
    library.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
    library.impl("record_stream", TORCH_FN(record_tensor));
}

} // namespace
} // namespace gpustream_torch
