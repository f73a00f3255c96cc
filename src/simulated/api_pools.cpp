// SPDX-License-Identifier: Apache-2.0
// Memory pools: creation, attributes, access, trimming. Their memory is in api_memory.cpp.
#include <algorithm>

#include "simulated/driver_call.hpp"

namespace gs::simulated {

uintptr_t default_pool(int device) {
    World &w = world();
    uintptr_t &handle = w.default_pools[device];
    if (handle == 0) {
        handle = w.next_pool += 16;
        w.pool_of[handle].device = device;
    }
    return handle;
}

Pool *find_pool(CUmemoryPool handle) {
    auto found = world().pool_of.find(reinterpret_cast<uintptr_t>(handle));
    if (found != world().pool_of.end() && !found->second.ended) return &found->second;
    if (reinterpret_cast<uintptr_t>(handle) <= world().next_pool && handle)
        violation("a destroyed pool, %p, was passed to the driver", static_cast<void *>(handle));
    return nullptr;
}

void take_from_pool(uintptr_t handle, size_t bytes) {
    Pool &pool = world().pool_of[handle];
    pool.used += bytes;
    pool.used_high = std::max(pool.used_high, pool.used);
    pool.reserved = std::max(pool.reserved, pool.used);
    pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

// The driver has the memory back when it knows that the work before the free is done: at the latest when the program waits.
void give_to_pool(uintptr_t handle, size_t bytes) {
    auto found = world().pool_of.find(handle);
    if (found == world().pool_of.end()) return;
    found->second.used -= bytes;
    found->second.pending += bytes;
    // A driver allows it, and may end the process later (P26 of gpustream_probes).
    if (found->second.ended) violation("memory of a destroyed pool, %p, was freed", reinterpret_cast<void *>(handle));
    if (found->second.ended && found->second.used == 0) world().pool_of.erase(found);
}

void release_reserved(int device) {
    for (auto &entry : world().pool_of) {
        Pool &pool = entry.second;
        if (pool.device != device) continue;
        pool.pending = 0;
        pool.reserved = std::max(pool.used, std::min(pool.reserved, pool.threshold));
    }
}

} // namespace gs::simulated

using namespace gs::simulated;

namespace {

bool is_device(int device) { return device >= 0 && device < world().devices; }

// Where the attribute is; nullptr: there is none.
int *reuse_flag(Pool &pool, CUmemPool_attribute which) {
    switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: return &pool.reuse[0];
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: return &pool.reuse[1];
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return &pool.reuse[2];
    default: return nullptr;
    }
}

uint64_t *amount(Pool &pool, CUmemPool_attribute which) {
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return &pool.threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return &pool.reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return &pool.reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return &pool.used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return &pool.used_high;
    default: return nullptr;
    }
}

// body(pool) for a pool that exists.
template <typename Body>
CUresult with_pool(Fn fn, CUmemoryPool handle, Body &&body) {
    return call(fn, [&](Lock &) {
        if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
        Pool *pool = find_pool(handle);
        if (!pool) return CUDA_ERROR_INVALID_VALUE;
        touch(pool->device);
        return body(*pool);
    });
}

// Of a device: memory of the host has no pool until one is made.
CUresult pool_of_location(Fn fn, CUmemoryPool *out, const CUmemLocation *location) {
    return call(
        fn,
        [&](Lock &) {
            if (!out || !location) return CUDA_ERROR_INVALID_VALUE;
            if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
            if (!is_device(location->id)) return CUDA_ERROR_INVALID_DEVICE;
            *out = reinterpret_cast<CUmemoryPool>(default_pool(location->id));
            return CUDA_SUCCESS;
        },
        out);
}

} // namespace

CUresult api_DeviceGetMemPool(CUmemoryPool *out, CUdevice device) {
    return call(
        Fn::DeviceGetMemPool,
        [&](Lock &) {
            if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
            if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
            touch(device);
            *out = reinterpret_cast<CUmemoryPool>(default_pool(device));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device) {
    return call(
        Fn::DeviceGetDefaultMemPool,
        [&](Lock &) {
            if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
            if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
            *out = reinterpret_cast<CUmemoryPool>(default_pool(device));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_MemGetMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType) {
    return pool_of_location(Fn::MemGetMemPool, out, location);
}

CUresult api_MemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType) {
    return pool_of_location(Fn::MemGetDefaultMemPool, out, location);
}

CUresult api_MemPoolGetAccess(CUmemAccess_flags *out, CUmemoryPool handle, CUmemLocation *location) {
    return with_pool(Fn::MemPoolGetAccess, handle, [&](Pool &pool) {
        if (!out || !location) return CUDA_ERROR_INVALID_VALUE;
        const bool is_own = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? location->id == pool.device : pool.host;
        const bool is_given =
            location->type == CU_MEM_LOCATION_TYPE_DEVICE && pool.reachable_from.count(location->id) != 0;
        *out = is_own || is_given ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
        return CUDA_SUCCESS;
    });
}

CUresult api_MemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
    return call(
        Fn::MemPoolCreate,
        [&](Lock &) {
            if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
            if (!out || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
            Pool pool;
            pool.host = props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
            if (!pool.host && props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
            if (pool.host ? props->location.id != 0 : !is_device(props->location.id)) return CUDA_ERROR_INVALID_DEVICE;
            pool.device = pool.host ? -1 : props->location.id;
            if (!pool.host) touch(pool.device);
            const uintptr_t handle = world().next_pool += 16;
            world().pool_of[handle] = pool;
            *out = reinterpret_cast<CUmemoryPool>(handle);
            thread().made_block = handle;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_MemPoolDestroy(CUmemoryPool handle) {
    return call(Fn::MemPoolDestroy, [&](Lock &) {
        if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
        Pool *pool = find_pool(handle);
        const auto word = reinterpret_cast<uintptr_t>(handle);
        // The default pool cannot be destroyed.
        if (!pool || (!pool->host && default_pool(pool->device) == word)) return CUDA_ERROR_INVALID_VALUE;
        if (!pool->host) touch(pool->device);
        pool->ended = true;
        if (pool->used == 0) world().pool_of.erase(word);
        return CUDA_SUCCESS;
    });
}

CUresult api_MemPoolTrimTo(CUmemoryPool handle, size_t keep) {
    return with_pool(Fn::MemPoolTrimTo, handle, [&](Pool &pool) {
        // It may serve again before that, so there is no more of it than what is reserved.
        const uint64_t held = std::min<uint64_t>(pool.used + pool.pending, pool.reserved);
        pool.reserved = std::max(held, std::min<uint64_t>(pool.reserved, keep));
        return CUDA_SUCCESS;
    });
}

CUresult api_MemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute which, void *value) {
    return with_pool(Fn::MemPoolSetAttribute, handle, [&](Pool &pool) {
        if (!value) return CUDA_ERROR_INVALID_VALUE;
        if (int *flag = reuse_flag(pool, which)) {
            *flag = *static_cast<int *>(value);
            return CUDA_SUCCESS;
        }
        const uint64_t wanted = *static_cast<cuuint64_t *>(value);
        const bool is_peak = which == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH || which == CU_MEMPOOL_ATTR_USED_MEM_HIGH;
        // Peaks can be reset, to 0 only; the present values cannot be set.
        if ((!is_peak && which != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) || (is_peak && wanted != 0))
            return CUDA_ERROR_INVALID_VALUE;
        *amount(pool, which) = which == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ? pool.reserved
                               : which == CU_MEMPOOL_ATTR_USED_MEM_HIGH   ? pool.used
                                                                          : wanted;
        return CUDA_SUCCESS;
    });
}

CUresult api_MemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute which, void *out) {
    return with_pool(Fn::MemPoolGetAttribute, handle, [&](Pool &pool) {
        if (!out) return CUDA_ERROR_INVALID_VALUE;
        if (const int *flag = reuse_flag(pool, which)) {
            *static_cast<int *>(out) = *flag;
            return CUDA_SUCCESS;
        }
        const uint64_t *value = amount(pool, which);
        if (!value) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<cuuint64_t *>(out) = *value;
        return CUDA_SUCCESS;
    });
}

CUresult api_MemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *access, size_t count) {
    return with_pool(Fn::MemPoolSetAccess, handle, [&](Pool &pool) {
        for (size_t i = 0; i < count; ++i) {
            const int device = access[i].location.id;
            if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !is_device(device))
                return CUDA_ERROR_INVALID_VALUE;
            if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
                pool.reachable_from.insert(device);
            else
                pool.reachable_from.erase(device);
        }
        return CUDA_SUCCESS;
    });
}
