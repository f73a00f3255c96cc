// SPDX-License-Identifier: Apache-2.0
#include "front/copied_memory.hpp"

#include <algorithm>

namespace gs::front {
namespace {

// Arrays have no address. Of a host's memory as of a device's.
uint64_t address_of(CUmemorytype type, const void *host, CUdeviceptr device) noexcept {
    if (type == CU_MEMORYTYPE_ARRAY) return 0;
    return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uintptr_t>(host) : device;
}

void move_to(Region &region, uint64_t x, uint64_t y, uint64_t z) noexcept {
    if (region.address != 0) region.address += x + y * region.pitch + z * region.layer_pitch;
}

// Of a CUDA_MEMCPY2D, CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER.
template <typename Copy>
Transfer transfer_of_struct(const Copy &copy) noexcept {
    Transfer found;
    found.from = {address_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.WidthInBytes, copy.Height,
                  copy.srcPitch};
    found.to = {address_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice), copy.WidthInBytes, copy.Height,
                copy.dstPitch};
    uint64_t from_z = 0, to_z = 0;
    if constexpr (requires { copy.Depth; }) {
        found.from.layers = found.to.layers = copy.Depth;
        found.from.layer_pitch = copy.srcPitch * copy.srcHeight;
        found.to.layer_pitch = copy.dstPitch * copy.dstHeight;
        from_z = copy.srcZ;
        to_z = copy.dstZ;
    }
    move_to(found.from, copy.srcXInBytes, copy.srcY, from_z);
    move_to(found.to, copy.dstXInBytes, copy.dstY, to_z);
    return found;
}

Region flat(uint64_t address, uint64_t bytes) noexcept { return {address, bytes}; }

template <typename T>
T *pointer(uint64_t word) noexcept {
    return reinterpret_cast<T *>(word);
}

SourceOrder order_of(CUmemcpySrcAccessOrder order) noexcept {
    if (order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL) return SourceOrder::DuringCall;
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY ? SourceOrder::Any : SourceOrder::Stream;
}

// Attributes are of all copies from their index on to the next one's.
std::vector<Transfer> transfers_of_batch(const uint64_t *arguments) {
    const auto *to = pointer<const CUdeviceptr>(arguments[0]), *from = pointer<const CUdeviceptr>(arguments[1]);
    const auto *bytes = pointer<const size_t>(arguments[2]);
    const auto *attributes = pointer<const CUmemcpyAttributes>(arguments[4]);
    const auto *first = pointer<const size_t>(arguments[5]);
    std::vector<Transfer> found;
    for (uint64_t i = 0, next = 0; i < arguments[3]; ++i) {
        while (next < arguments[6] && first[next] <= i) ++next;
        const SourceOrder order = next == 0 ? SourceOrder::Stream : order_of(attributes[next - 1].srcAccessOrder);
        found.push_back({flat(from[i], bytes[i]), flat(to[i], bytes[i]), order});
    }
    return found;
}

Region operand(const CUmemcpy3DOperand &side, const CUextent3D &extent) noexcept {
    if (side.type != CU_MEMCPY_OPERAND_TYPE_POINTER) return {};
    const uint64_t pitch = side.op.ptr.rowLength == 0 ? extent.width : side.op.ptr.rowLength;
    const uint64_t height = side.op.ptr.layerHeight == 0 ? extent.height : side.op.ptr.layerHeight;
    return {side.op.ptr.ptr, extent.width, extent.height, pitch, extent.depth, pitch * height};
}

// Sizes are in elements if one side is an array, whose elements may have any size: then neither side is known.
std::vector<Transfer> transfers_of_layers(const uint64_t *arguments) {
    const auto *copies = pointer<const CUDA_MEMCPY3D_BATCH_OP>(arguments[1]);
    std::vector<Transfer> found;
    for (uint64_t i = 0; i < arguments[0]; ++i) {
        const CUDA_MEMCPY3D_BATCH_OP &copy = copies[i];
        const Region from = operand(copy.src, copy.extent), to = operand(copy.dst, copy.extent);
        if (from.address != 0 && to.address != 0) found.push_back({from, to, order_of(copy.srcAccessOrder)});
    }
    return found;
}

} // namespace

Transfer transfer_of_node(CUDA_MEMCPY3D copy) noexcept {
    copy.Height = std::max<size_t>(copy.Height, 1);
    copy.Depth = std::max<size_t>(copy.Depth, 1);
    return transfer_of_struct(copy);
}

std::vector<Transfer> transfers_of(const Call &call) {
    const uint64_t *arguments = call.arguments;
    switch (call.row->form) {
    case CopyForm::Flat: return {{flat(call.other, call.bytes), flat(call.object, call.bytes)}};
    case CopyForm::FilledRows: {
        const uint64_t rows = arguments[4];
        return {{{}, {call.object, rows == 0 ? 0 : call.bytes / rows, rows, arguments[1]}}};
    }
    case CopyForm::Rows: return {transfer_of_struct(*pointer<const CUDA_MEMCPY2D>(arguments[0]))};
    case CopyForm::Layers: return {transfer_of_struct(*pointer<const CUDA_MEMCPY3D>(arguments[0]))};
    case CopyForm::OfPeers: return {transfer_of_struct(*pointer<const CUDA_MEMCPY3D_PEER>(arguments[0]))};
    case CopyForm::Batch: return transfers_of_batch(arguments);
    case CopyForm::BatchOfLayers: return transfers_of_layers(arguments);
    }
    return {};
}

} // namespace gs::front
