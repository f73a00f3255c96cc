// SPDX-License-Identifier: Apache-2.0
// Copies and fills, and whose memory an address is.
#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

struct Found {
    const Block *block = nullptr; // of a device's memory
    const Context *context = nullptr;
    int device = -1;
};

Found block_at(uintptr_t address) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (const Context *context : *list) {
            auto next = context->memory.upper_bound(address);
            if (next == context->memory.begin()) continue;
            const auto &[start, block] = *--next;
            if (address - start < block.bytes) return {&block, context, context->device};
        }
    return {};
}

// As driver 580 has it: only memory of pools asks for access.
bool can_reach(const Found &memory, int device) {
    if (!memory.block || device < 0 || memory.device == device || memory.block->pool == 0) return true;
    const Pool *pool = find_pool(reinterpret_cast<CUmemoryPool>(memory.block->pool));
    return !pool || pool->reachable_from.count(device) != 0;
}

void *at(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

} // namespace

CUresult api_PointerGetAttribute(void *out, CUpointer_attribute which, CUdeviceptr address) {
    return call(Fn::PointerGetAttribute, [&](Lock &) {
        if (!out || which != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) return CUDA_ERROR_INVALID_VALUE;
        const Found found = block_at(address);
        if (!found.block) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<int *>(out) = found.device;
        return CUDA_SUCCESS;
    });
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

CUresult api_MemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream handle) {
    return call(Fn::MemcpyAsync, [&](Lock &) {
        if (bytes != 0 && (dst == 0 || src == 0)) return CUDA_ERROR_INVALID_VALUE;
        // The driver rejects some copies while another context is current; this one rejects all.
        Stream *stream = nullptr;
        if (const CUresult found = find_stream(handle, &stream); found != CUDA_SUCCESS) return found;
        if (thread().current() && thread().current() != stream->context) return CUDA_ERROR_INVALID_VALUE;
        const Found to = block_at(dst), source = block_at(src);
        if (!can_reach(to, source.device) || !can_reach(source, to.device)) return CUDA_ERROR_INVALID_VALUE;
        return work(handle, [&](engine::Stream &s) { return world().engine->copy(s, at(dst), at(src), bytes); });
    });
}

CUresult api_MemsetD8Async(CUdeviceptr dst, unsigned char value, size_t bytes, CUstream handle) {
    return call(Fn::MemsetD8Async, [&](Lock &) {
        if (bytes != 0 && dst == 0) return CUDA_ERROR_INVALID_VALUE;
        return work(handle, [&](engine::Stream &s) { return world().engine->fill(s, at(dst), value, bytes); });
    });
}
