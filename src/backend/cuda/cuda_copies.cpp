// SPDX-License-Identifier: Apache-2.0
// Copies, one at a time and in batches.
#include "backend/copy_each.hpp"
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

namespace {

static_assert(int{GS_ACCESS_ORDER_STREAM} == int{CU_MEMCPY_SRC_ACCESS_ORDER_STREAM} &&
              int{GS_ACCESS_ORDER_DURING_CALL} == int{CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL} &&
              int{GS_ACCESS_ORDER_ANY} == int{CU_MEMCPY_SRC_ACCESS_ORDER_ANY});

// The device whose memory this is, nullptr for host memory and what the driver does not know.
Device *device_of(ThreadBlock &thread, const void *pointer) noexcept {
    int ordinal = -1;
    if (g_driver.pointer_get_attribute(thread, &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, to_address(pointer)) !=
        CUDA_SUCCESS)
        return nullptr;
    return ordinal >= 0 && ordinal < g_device_count ? &g_devices[ordinal] : nullptr;
}

// After cuMemcpyAsync refused the copy: it refuses memory of a pool that the other device has no access to (P28 of
// docs/design/cuda.md). cuMemcpyPeerAsync needs no access, and no capture takes it.
Status copy_between_devices(ThreadBlock &thread, Device &device, StreamRef stream, void *dst, const void *src,
                            size_t bytes) noexcept {
    const FailedCall plain{g_driver.memcpy_async.name, GS_ERROR_INVALID_ARGUMENT};
    Device *to = device_of(thread, dst), *from = device_of(thread, src);
    if (!to || !from || to == from) return map_error(CUDA_ERROR_INVALID_VALUE, plain, device);
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, to_stream(stream), &capture));
    if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "a capture takes a copy from device %d to device %d if the memory is of pools with GS_POOL_PEERS",
                    static_cast<int>(from->ordinal), static_cast<int>(to->ordinal));
    const CUcontext there = to->context.load(std::memory_order_acquire);
    const CUcontext here = from->context.load(std::memory_order_acquire);
    if (!there || !here) return map_error(CUDA_ERROR_INVALID_VALUE, plain, device);
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.memcpy_peer_async, to_address(dst), there,
                                                  to_address(src), here, bytes, to_stream(stream));
}

// The copies of one call of the driver, without those of 0 bytes, which it refuses.
struct DriverBatch {
    static constexpr size_t kMost = 512; // 12 KiB on the stack

    CUdeviceptr to[kMost], from[kMost];
    size_t bytes[kMost];
    size_t count = 0;

    // Takes copies from `first` on; returns the number of the first one that has no room.
    size_t fill(const gs_copy_t *copies, size_t first, size_t end) noexcept {
        count = 0;
        for (; first < end && count < kMost; ++first) {
            if (copies[first].bytes == 0) continue;
            to[count] = to_address(copies[first].dst);
            from[count] = to_address(copies[first].src);
            bytes[count++] = copies[first].bytes;
        }
        return first;
    }
};

CUresult submit_batch(ThreadBlock &thread, StreamRef stream, DriverBatch &batch, int32_t order) noexcept {
    CUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = static_cast<CUmemcpySrcAccessOrder>(order);
    size_t first = 0, failed = 0;
    return g_driver.memcpy_batch_async(thread, batch.to, batch.from, batch.bytes, batch.count, &attributes, &first,
                                       size_t{1}, &failed, to_stream(stream));
}

// cuMemcpyAsync has read pageable memory when it returns, unless the device reads that memory through the host's page
// tables. Other memory it reads in the stream's order.
Status may_read_later(ThreadBlock &thread, const Device &device, const gs_copy_t *copies, size_t count,
                      bool *out) noexcept {
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, out));
    for (size_t i = 0; i < count && !*out; ++i) {
        CUmemorytype type{};
        *out = copies[i].bytes != 0 && g_driver.pointer_get_attribute(thread, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                                      to_address(copies[i].src)) == CUDA_SUCCESS;
    }
    return kOk;
}

} // namespace

Status CudaBackend::memcpy_async(ThreadBlock &thread, StreamRef stream, void *dst, const void *src,
                                 size_t bytes) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    GS_TRY(scope.enter(device)); // on explicit streams too: the driver may refuse a copy in another context
    const CUresult result = g_driver.memcpy_async(thread, to_address(dst), to_address(src), bytes, to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    if (result == CUDA_ERROR_INVALID_VALUE) return copy_between_devices(thread, device, stream, dst, src, bytes);
    return map_error(result, {g_driver.memcpy_async.name, GS_ERROR_INVALID_ARGUMENT}, device);
}

// The driver names the copy that it refuses only before CUDA 13, and it refuses some that copy_between_devices() can do:
// one by one, all of them are done or named. What it did of the batch before is done twice, to the same effect.
Status CudaBackend::memcpy_batch(ThreadBlock &thread, StreamRef stream, const gs_copy_t *copies, size_t count,
                                 int32_t order) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    GS_TRY(scope.enter(device));
    const bool one = count == 1 && order == GS_ACCESS_ORDER_STREAM;
    CUresult result = one || stream.native == kNativeDefaultStream || !g_driver.memcpy_batch_async.present()
                          ? CUDA_ERROR_NOT_SUPPORTED
                          : CUDA_SUCCESS;
    size_t next = 0;
    DriverBatch batch;
    while (result == CUDA_SUCCESS && next < count) {
        next = batch.fill(copies, next, count);
        if (batch.count != 0) result = submit_batch(thread, stream, batch, order);
    }
    if (result == CUDA_SUCCESS) return kOk;
    if (result != CUDA_ERROR_NOT_SUPPORTED && result != CUDA_ERROR_INVALID_VALUE)
        return map_error(result, {g_driver.memcpy_batch_async.name}, device);
    GS_TRY(copy_each(*this, thread, stream, copies, count));
    bool later = false;
    if (order == GS_ACCESS_ORDER_DURING_CALL) GS_TRY(may_read_later(thread, device, copies, count, &later));
    return later ? stream_synchronize(thread, stream) : kOk;
}

} // namespace gs::cuda
