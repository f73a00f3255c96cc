// SPDX-License-Identifier: Apache-2.0
// Several stream memory operations in one call of the driver.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/cuda_values.hpp"
#include "backend/cuda/driver/native_words.hpp"

namespace gs::cuda {
namespace {

constexpr size_t kMostOps = 255; // the driver's limit

CUstreamBatchMemOpParams write_of(const gs_value_op_t &op) noexcept {
    CUstreamBatchMemOpParams made{};
    made.writeValue.operation = is_narrow(op.flags) ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_64;
    made.writeValue.address = word_at(op.address);
    made.writeValue.value64 = op.value;
    made.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT; // GS_VALUE_NO_BARRIER is left out, as for a single one
    return made;
}

CUstreamBatchMemOpParams wait_of(const gs_value_op_t &op) noexcept {
    CUstreamBatchMemOpParams made{};
    made.waitValue.operation = is_narrow(op.flags) ? CU_STREAM_MEM_OP_WAIT_VALUE_32 : CU_STREAM_MEM_OP_WAIT_VALUE_64;
    made.waitValue.address = word_at(op.address);
    made.waitValue.value64 = op.value;
    made.waitValue.flags = native_condition(op.flags);
    return made;
}

} // namespace

Status CudaBackend::batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                                 size_t count) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.stream_batch_mem_op.present())
        return fail(GS_ERROR_NOT_SUPPORTED, "the driver has no batches of stream memory operations");
    CUstreamBatchMemOpParams made[kMostOps];
    for (size_t i = 0; i < count; ++i) {
        const bool writes = (ops[i].flags & GS_VALUE_WRITE) != 0;
        if (!writes) GS_TRY(check_wait_value(thread, device, ops[i].flags));
        made[i] = writes ? write_of(ops[i]) : wait_of(ops[i]);
    }
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const CUresult result =
        g_driver.stream_batch_mem_op(thread, to_stream(stream), static_cast<unsigned>(count), made, 0u);
    if (result == CUDA_SUCCESS) return kOk;
    return map_error(result, {g_driver.stream_batch_mem_op.name, GS_ERROR_INVALID_ARGUMENT}, device);
}

} // namespace gs::cuda
