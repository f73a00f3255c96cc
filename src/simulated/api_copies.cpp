// SPDX-License-Identifier: Apache-2.0
// Copies and fills, and whose memory an address is.
#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

struct Found {
    const Block *block = nullptr; // of a device's memory
    const Context *context = nullptr;
    int device = -1;
    uintptr_t start = 0;
};

Found block_at(uintptr_t address) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (const Context *context : *list) {
            const auto next = context->memory.upper_bound(address);
            if (next != context->memory.begin()) {
                const auto &[start, block] = *std::prev(next);
                if (address - start < block.bytes) return {&block, context, context->device, start};
            }
            for (const auto &[handle, memory] : w.opened) {
                const auto start = reinterpret_cast<uintptr_t>(memory.address);
                if (memory.context == context && address - start < memory.block.bytes)
                    return {&memory.block, context, context->device, start};
            }
        }
    return {};
}

// As driver 580 has it: only memory of pools asks for access.
bool can_reach(const Found &memory, int device) {
    if (!memory.block || device < 0 || memory.device == device || memory.block->pool == 0) return true;
    const Pool *pool = find_pool(reinterpret_cast<CUmemoryPool>(memory.block->pool));
    return !pool || pool->reachable_from.count(device) != 0;
}

struct Pattern {
    CUdeviceptr dst;
    size_t count, width;
    uint32_t value;
    size_t rows, pitch;
};

void write_pattern(void *opaque) {
    const auto &pattern = *static_cast<const Pattern *>(opaque);
    for (size_t row = 0; row < pattern.rows; ++row) {
        auto *to = static_cast<char *>(at(pattern.dst + row * pattern.pitch));
        for (size_t i = 0; i < pattern.count; ++i) std::memcpy(to + i * pattern.width, &pattern.value, pattern.width);
    }
}

bool is_known(uintptr_t address);

CUresult fill(CUdeviceptr dst, uint32_t value, size_t count, size_t width, CUstream handle, size_t rows = 1,
              size_t pitch = 0) {
    if (count != 0 && dst == 0) return CUDA_ERROR_INVALID_VALUE;
    if (dst % width != 0 || (count != 0 && !is_known(dst))) return CUDA_ERROR_INVALID_VALUE;
    return work(handle, [&](engine::Stream &stream) {
        if (width == 1 && rows == 1) return world().engine->fill(stream, at(dst), static_cast<uint8_t>(value), count);
        auto pattern = std::make_unique<Pattern>(Pattern{dst, count, width, value, rows, pitch});
        const engine::Task task{
            write_pattern, [](void *opaque) { delete static_cast<Pattern *>(opaque); }, pattern.get(),
            [](const void *opaque) -> void * { return new Pattern(*static_cast<const Pattern *>(opaque)); }};
        const engine::Result result = world().engine->launch(stream, task, engine::NodeKind::Fill);
        if (result == engine::Result::Ok) (void)pattern.release();
        return result;
    });
}

CUdeviceptr of(const void *host) { return reinterpret_cast<CUdeviceptr>(host); }

struct Range {
    const Context *context = nullptr; // nullptr: the driver does not know the memory
    uintptr_t start = 0;
    size_t bytes = 0;
};

// Memory of the host that the driver has allocated or registered.
Range pinned_at(uintptr_t address) {
    for (const auto *list : {&world().primary, &world().others})
        for (const Context *context : *list) {
            const auto block = context->host_memory.upper_bound(address);
            if (block != context->host_memory.begin()) {
                const auto &[start, found] = *std::prev(block);
                if (address - start < found.bytes) return {context, start, found.bytes};
            }
            const auto registered = context->registered.upper_bound(address);
            if (registered != context->registered.begin()) {
                const auto &[start, bytes] = *std::prev(registered);
                if (address - start < bytes) return {context, start, bytes};
            }
        }
    return {};
}

Range range_at(uintptr_t address) {
    const Found found = block_at(address);
    return found.block ? Range{found.context, found.start, found.block->bytes} : pinned_at(address);
}

bool is_of_graph(uintptr_t address) {
    const auto next = world().graph_memory.upper_bound(address);
    return next != world().graph_memory.begin() && address - std::prev(next)->first < std::prev(next)->second;
}

// All other memory is pageable.
bool is_known(uintptr_t address) { return range_at(address).context || is_of_graph(address); }

// Pageable memory is read at once, as by drivers: they copy it to memory of their own.
CUresult copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream handle) {
    if (bytes != 0 && (dst == 0 || src == 0)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult refused = check_copy(dst, src, handle); refused != CUDA_SUCCESS) return refused;
    const bool pageable = !is_known(src);
    return work(handle, [&](engine::Stream &s) {
        const gs_copy_t one{at(dst), at(src), bytes};
        return pageable && engine::Engine::capture_of(s) == 0 ? world().engine->copy_batch(s, &one, 1, true)
                                                              : world().engine->copy(s, one.dst, one.src, bytes);
    });
}

// False: there is no such attribute of this address.
bool attribute(void *out, CUpointer_attribute which, CUdeviceptr address) {
    const Found found = block_at(address);
    const Range range = range_at(address);
    const auto put = [out](auto value) { std::memcpy(out, &value, sizeof value); };
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: put(range.context); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: put(found.block ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: put(address); break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: put(found.block && found.block->managed ? 1u : 0u); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: put(range.context ? range.context->device : -2); break;
    case CU_POINTER_ATTRIBUTE_MAPPED: put(range.context ? 1u : 0u); break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: put(found.block ? found.block->pool : uintptr_t{0}); break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: put(range.start); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: put(range.bytes); break;
    default: return false;
    }
    return range.context != nullptr;
}

} // namespace

CUresult gs::simulated::check_copy(CUdeviceptr dst, CUdeviceptr src, CUstream handle) {
    // The driver rejects some copies while another context is current; this one rejects all.
    Stream *stream = nullptr;
    if (const CUresult found = find_stream(handle, &stream); found != CUDA_SUCCESS) return found;
    if (thread().current() && thread().current() != stream->context) return CUDA_ERROR_INVALID_VALUE;
    const Found to = block_at(dst), source = block_at(src);
    return can_reach(to, source.device) && can_reach(source, to.device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult api_PointerGetAttribute(void *out, CUpointer_attribute which, CUdeviceptr address) {
    return call(Fn::PointerGetAttribute, [&](Lock &) {
        if (!out) return CUDA_ERROR_INVALID_VALUE;
        return attribute(out, which, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

// Of memory that the driver does not know, the attributes are zeros.
CUresult api_PointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr address) {
    return call(Fn::PointerGetAttributes, [&](Lock &) {
        if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
        for (unsigned i = 0; i < count; ++i)
            if (!attribute(data[i], attributes[i], address)) {
                const bool is_address = attributes[i] <= CU_POINTER_ATTRIBUTE_HOST_POINTER &&
                                        attributes[i] != CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
                std::memset(data[i], 0, is_address ? sizeof(void *) : sizeof(int));
            }
        return CUDA_SUCCESS;
    });
}

CUresult api_MemGetAddressRange(CUdeviceptr *start, size_t *bytes, CUdeviceptr address) {
    return call(
        Fn::MemGetAddressRange,
        [&](Lock &) {
            const Range range = range_at(address);
            if (!range.context) return CUDA_ERROR_NOT_FOUND;
            if (start) *start = range.start;
            if (bytes) *bytes = range.bytes;
            return CUDA_SUCCESS;
        },
        start, bytes);
}

CUresult api_MemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext source, size_t bytes,
                             CUstream handle) {
    return call(Fn::MemcpyPeerAsync, [&](Lock &) {
        const Found there = block_at(dst), here = block_at(src);
        if (!there.block || !here.block || reinterpret_cast<const Context *>(to) != there.context ||
            reinterpret_cast<const Context *>(source) != here.context)
            return CUDA_ERROR_INVALID_VALUE;
        return work(handle, [&](engine::Stream &s) { return world().engine->copy(s, at(dst), at(src), bytes); });
    });
}

CUresult api_MemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
    return call(Fn::MemcpyAsync, [&](Lock &) { return copy(dst, src, bytes, stream); });
}

CUresult api_MemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
    return call(Fn::MemcpyHtoDAsync, [&](Lock &) { return copy(dst, of(src), bytes, stream); });
}

CUresult api_MemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
    return call(Fn::MemcpyDtoHAsync, [&](Lock &) { return copy(of(dst), src, bytes, stream); });
}

CUresult api_MemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
    return call(Fn::MemcpyDtoDAsync, [&](Lock &) { return copy(dst, src, bytes, stream); });
}

CUresult api_Memcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    return at_once(Fn::Memcpy, [&] { return copy(dst, src, bytes, nullptr); });
}

CUresult api_MemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes) {
    return at_once(Fn::MemcpyHtoD, [&] { return copy(dst, of(src), bytes, nullptr); });
}

CUresult api_MemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes) {
    return at_once(Fn::MemcpyDtoH, [&] { return copy(of(dst), src, bytes, nullptr); });
}

CUresult api_MemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
    return at_once(Fn::MemcpyDtoD, [&] { return copy(dst, src, bytes, nullptr); });
}

CUresult api_MemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
    return call(Fn::MemsetD8Async, [&](Lock &) { return fill(dst, value, count, 1, stream); });
}

CUresult api_MemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream) {
    return call(Fn::MemsetD16Async, [&](Lock &) { return fill(dst, value, count, 2, stream); });
}

CUresult api_MemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream) {
    return call(Fn::MemsetD32Async, [&](Lock &) { return fill(dst, value, count, 4, stream); });
}

CUresult api_MemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height,
                             CUstream stream) {
    return call(Fn::MemsetD2D8Async, [&](Lock &) { return fill(dst, value, width, 1, stream, height, pitch); });
}

CUresult api_MemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height,
                              CUstream stream) {
    return call(Fn::MemsetD2D32Async, [&](Lock &) { return fill(dst, value, width, 4, stream, height, pitch); });
}

CUresult api_MemsetD8(CUdeviceptr dst, unsigned char value, size_t count) {
    return at_once(Fn::MemsetD8, [&] { return fill(dst, value, count, 1, nullptr); });
}

CUresult api_MemsetD16(CUdeviceptr dst, unsigned short value, size_t count) {
    return at_once(Fn::MemsetD16, [&] { return fill(dst, value, count, 2, nullptr); });
}

CUresult api_MemsetD32(CUdeviceptr dst, unsigned value, size_t count) {
    return at_once(Fn::MemsetD32, [&] { return fill(dst, value, count, 4, nullptr); });
}
