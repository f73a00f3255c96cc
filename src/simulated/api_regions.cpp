// SPDX-License-Identifier: Apache-2.0
// Copies of rows and layers, fills of rows, and several copies in one call. Arrays are not simulated.
#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

// Of a CUDA_MEMCPY2D or CUDA_MEMCPY3D_PEER.
template <typename Copy>
CUDA_MEMCPY3D as_layers(const Copy &copy) {
    CUDA_MEMCPY3D all{};
    all.srcXInBytes = copy.srcXInBytes;
    all.srcY = copy.srcY;
    all.srcMemoryType = copy.srcMemoryType;
    all.srcHost = copy.srcHost;
    all.srcDevice = copy.srcDevice;
    all.srcPitch = copy.srcPitch;
    all.dstXInBytes = copy.dstXInBytes;
    all.dstY = copy.dstY;
    all.dstMemoryType = copy.dstMemoryType;
    all.dstHost = copy.dstHost;
    all.dstDevice = copy.dstDevice;
    all.dstPitch = copy.dstPitch;
    all.WidthInBytes = copy.WidthInBytes;
    all.Height = copy.Height;
    all.Depth = 1;
    if constexpr (requires { copy.Depth; }) {
        all.srcZ = copy.srcZ;
        all.srcHeight = copy.srcHeight;
        all.dstZ = copy.dstZ;
        all.dstHeight = copy.dstHeight;
        all.Depth = copy.Depth;
    }
    return all;
}

CUresult copy_region(const CUDA_MEMCPY3D &copy, CUstream stream) {
    engine::Task task;
    if (const CUresult result = region_task(copy, &task); result != CUDA_SUCCESS) return result;
    const CUresult result =
        work(stream, [&](engine::Stream &s) { return world().engine->launch(s, task, engine::NodeKind::Copy); });
    if (result != CUDA_SUCCESS) task.drop(task.arg);
    return result;
}

bool is_of_pointers(const CUDA_MEMCPY3D_BATCH_OP &copy) {
    return copy.src.type == CU_MEMCPY_OPERAND_TYPE_POINTER && copy.dst.type == CU_MEMCPY_OPERAND_TYPE_POINTER;
}

CUDA_MEMCPY3D as_layers(const CUDA_MEMCPY3D_BATCH_OP &copy) {
    const auto or_else = [](size_t given, size_t usual) { return given == 0 ? usual : given; };
    CUDA_MEMCPY3D all{};
    all.srcMemoryType = all.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    all.srcDevice = copy.src.op.ptr.ptr;
    all.srcPitch = or_else(copy.src.op.ptr.rowLength, copy.extent.width);
    all.srcHeight = or_else(copy.src.op.ptr.layerHeight, copy.extent.height);
    all.dstDevice = copy.dst.op.ptr.ptr;
    all.dstPitch = or_else(copy.dst.op.ptr.rowLength, copy.extent.width);
    all.dstHeight = or_else(copy.dst.op.ptr.layerHeight, copy.extent.height);
    all.WidthInBytes = copy.extent.width;
    all.Height = copy.extent.height;
    all.Depth = copy.extent.depth;
    return all;
}

// one(i, stream) copies; on a failure *failed is its number.
template <typename One>
CUresult copy_all(size_t count, size_t *failed, CUstream stream, One &&one) {
    if (count == 0 || !stream || stream == CU_STREAM_LEGACY) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
        if (const CUresult result = one(i); result != CUDA_SUCCESS) {
            if (failed) *failed = i;
            return result;
        }
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_Memcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
    return call(Fn::Memcpy2DAsync,
                [&](Lock &) { return copy ? copy_region(as_layers(*copy), stream) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult api_Memcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
    return call(Fn::Memcpy3DAsync,
                [&](Lock &) { return copy ? copy_region(*copy, stream) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult api_Memcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
    return call(Fn::Memcpy3DPeerAsync,
                [&](Lock &) { return copy ? copy_region(as_layers(*copy), stream) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult api_Memcpy2D(const CUDA_MEMCPY2D *copy) {
    return at_once(Fn::Memcpy2D,
                   [&] { return copy ? copy_region(as_layers(*copy), nullptr) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult api_Memcpy3D(const CUDA_MEMCPY3D *copy) {
    return at_once(Fn::Memcpy3D, [&] { return copy ? copy_region(*copy, nullptr) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult api_MemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                              CUmemcpyAttributes *attributes, size_t *first, size_t attributes_count, size_t *failed,
                              CUstream stream) {
    return call(Fn::MemcpyBatchAsync, [&](Lock &) {
        if (!to || !from || !bytes || !attributes || !first || attributes_count == 0 || first[0] != 0)
            return CUDA_ERROR_INVALID_VALUE;
        return copy_all(count, failed, stream, [&](size_t i) {
            if (to[i] == 0 || from[i] == 0 || bytes[i] == 0) return CUDA_ERROR_INVALID_VALUE;
            return work(stream,
                        [&](engine::Stream &s) { return world().engine->copy(s, at(to[i]), at(from[i]), bytes[i]); });
        });
    });
}

CUresult api_Memcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,
                                CUstream stream) {
    return call(Fn::Memcpy3DBatchAsync, [&](Lock &) {
        if (!copies || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        return copy_all(count, failed, stream, [&](size_t i) {
            return is_of_pointers(copies[i]) ? copy_region(as_layers(copies[i]), stream) : CUDA_ERROR_NOT_SUPPORTED;
        });
    });
}
