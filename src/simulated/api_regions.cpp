// SPDX-License-Identifier: Apache-2.0
// Copies of rows and layers, fills of rows, and several copies in one call. Arrays are not simulated.
#include <vector>

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

// Legacy streams are refused, and so are streams that are being captured, whose captures go on.
CUresult check_batch(size_t count, CUstream handle) {
    Stream *stream = nullptr;
    if (count == 0 || !handle || handle == CU_STREAM_LEGACY) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult found = find_stream(handle, &stream); found != CUDA_SUCCESS) return found;
    return engine::Engine::capture_of(*stream->native) == 0 ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

// Attributes are of all copies from their index on to the next one's.
bool are_attributes(const CUmemcpyAttributes *attributes, const size_t *first, size_t attributes_count, size_t count) {
    if (!attributes || !first || attributes_count == 0 || first[0] != 0) return false;
    for (size_t i = 0; i < attributes_count; ++i)
        if (first[i] >= count || (i != 0 && first[i] <= first[i - 1]) ||
            attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
            return false;
    return true;
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
        if (failed) *failed = SIZE_MAX;
        if (!to || !from || !bytes || !are_attributes(attributes, first, attributes_count, count))
            return CUDA_ERROR_INVALID_VALUE;
        if (const CUresult refused = check_batch(count, stream); refused != CUDA_SUCCESS) return refused;
        std::vector<gs_copy_t> copies(count);
        for (size_t i = 0; i < count; ++i) {
            const bool whole = to[i] != 0 && from[i] != 0 && bytes[i] != 0;
            const CUresult refused = whole ? check_copy(to[i], from[i], stream) : CUDA_ERROR_INVALID_VALUE;
            if (refused != CUDA_SUCCESS) {
                if (failed) *failed = i;
                return refused;
            }
            copies[i] = {at(to[i]), at(from[i]), bytes[i]};
        }
        for (size_t i = 0; i < attributes_count; ++i) {
            const size_t end = i + 1 < attributes_count ? first[i + 1] : count;
            const bool at_once = attributes[i].srcAccessOrder != CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
            const CUresult result = work(stream, [&](engine::Stream &s) {
                return world().engine->copy_batch(s, &copies[first[i]], end - first[i], at_once);
            });
            if (result != CUDA_SUCCESS) return result;
        }
        return CUDA_SUCCESS;
    });
}

CUresult api_Memcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,
                                CUstream stream) {
    return call(Fn::Memcpy3DBatchAsync, [&](Lock &) {
        if (!copies || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        CUresult result = check_batch(count, stream);
        for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
            result = is_of_pointers(copies[i]) ? copy_region(as_layers(copies[i]), stream) : CUDA_ERROR_NOT_SUPPORTED;
            if (result != CUDA_SUCCESS && failed) *failed = i;
        }
        return result;
    });
}
