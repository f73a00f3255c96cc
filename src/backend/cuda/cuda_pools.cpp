// SPDX-License-Identifier: Apache-2.0
// Pools: the driver's own, with attributes of reuse that make no stream wait for another one.
//
// The library destroys no pool of the driver: NVIDIA's driver 580 crashes in cuMemPoolDestroy while frees of the pool's memory are
// pending (P30 of docs/design/cuda.md). A pool that has ended serves the next one of its kind, once the driver has all its memory back.
#include <memory>
#include <new>
#include <utility>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

namespace {

constexpr uint32_t kKinds = GS_POOL_HOST | GS_POOL_PEERS;

std::unique_ptr<IdlePool> pop_idle(Device &device, uint32_t flags) noexcept {
    BriefGuard lock(device.idle_mutex);
    std::unique_ptr<IdlePool> &first = device.idle_pools[flags & kKinds];
    std::unique_ptr<IdlePool> taken = std::move(first);
    if (taken) first = std::move(taken->next);
    return taken;
}

void push_idle(Device &device, uint32_t flags, std::unique_ptr<IdlePool> pool) noexcept {
    BriefGuard lock(device.idle_mutex);
    std::unique_ptr<IdlePool> &first = device.idle_pools[flags & kKinds];
    pool->next = std::move(first);
    first = std::move(pool);
}

Status keep_idle(Device &device, uint32_t flags, CUmemoryPool pool) noexcept {
    std::unique_ptr<IdlePool> kept(new (std::nothrow) IdlePool{pool, nullptr});
    if (!kept) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the record of a pool that has ended");
    push_idle(device, flags, std::move(kept));
    return kOk;
}

// CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED, which the headers of 12.8 do not have.
constexpr auto kHostPoolsSupported = static_cast<CUdevice_attribute>(142);

CUmemoryPool to_pool(uintptr_t pool) noexcept { return reinterpret_cast<CUmemoryPool>(pool); }

// The calls below need no stream, but a driver may refuse some while a stream is captured, so all run in relaxed mode.
template <typename Of, typename... Arguments>
Status pool_call(ThreadBlock &thread, Device &device, const Of &function, Arguments... arguments) noexcept {
    FailedCall call{function.name};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return function(thread, arguments...); });
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, {GS_BACKEND_CUDA, result, call.function}, "%s failed: %s",
                           call.function, error_text(result));
    return status_of(result, call, device);
}

Status set_attribute(ThreadBlock &thread, Device &device, CUmemoryPool pool, CUmemPool_attribute which,
                     void *value) noexcept {
    return pool_call(thread, device, g_driver.mem_pool_set_attribute, pool, which, value);
}

Status get_attribute(ThreadBlock &thread, Device &device, CUmemoryPool pool, CUmemPool_attribute which,
                     uint64_t *out) noexcept {
    cuuint64_t value = 0;
    GS_TRY(pool_call(thread, device, g_driver.mem_pool_get_attribute, pool, which, &value));
    *out = value;
    return kOk;
}

Status trim_to(ThreadBlock &thread, Device &device, CUmemoryPool pool, uint64_t keep) noexcept {
    return pool_call(thread, device, g_driver.mem_pool_trim_to, pool, static_cast<size_t>(keep));
}

Status allow_access(ThreadBlock &thread, Device &device, CUmemoryPool pool, CUdevice from) noexcept {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = from;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return pool_call(thread, device, g_driver.mem_pool_set_access, pool, &access, size_t{1});
}

// The node of host memory that is nearest to the device; NOT_SUPPORTED: the driver has no pools there.
Status host_node(ThreadBlock &thread, Device &device, int *out) noexcept {
    int supported = 0;
    // Drivers before 13.0 do not know the attribute.
    const CUresult asked = g_driver.device_get_attribute(thread, &supported, kHostPoolsSupported, device.handle);
    if (asked != CUDA_SUCCESS && asked != CUDA_ERROR_INVALID_VALUE)
        return map_error(asked, {g_driver.device_get_attribute.name}, device);
    if (asked != CUDA_SUCCESS || supported == 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "the driver has no pools of host memory for CUDA device %d",
                    device.ordinal);
    GS_TRY(driver_call(thread, device, g_driver.device_get_attribute, out, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID,
                       device.handle));
    if (*out < 0) *out = 0; // a machine without nodes
    return kOk;
}

Status set_up(ThreadBlock &thread, Device &device, CUmemoryPool pool, uint32_t flags, uint64_t keep) noexcept {
    cuuint64_t threshold = keep;
    GS_TRY(set_attribute(thread, device, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    // Reuse after events and of finished work needs no further order. This attribute would make a stream wait for
    // another one, and neither the program nor the ordering checker would know.
    int none = 0;
    GS_TRY(set_attribute(thread, device, pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &none));
    if (flags & GS_POOL_HOST) GS_TRY(allow_access(thread, device, pool, device.handle));
    if ((flags & GS_POOL_PEERS) == 0) return kOk;
    for (int32_t peer = 0; peer < g_device_count; ++peer) {
        int reachable = 0;
        const CUdevice handle = g_devices[peer].handle;
        if (peer == device.ordinal) continue;
        GS_TRY(pool_call(thread, device, g_driver.device_can_access_peer, &reachable, handle, device.handle));
        if (reachable != 0) GS_TRY(allow_access(thread, device, pool, handle));
    }
    return kOk;
}

Status make_pool(ThreadBlock &thread, Device &device, uint32_t flags, CUmemoryPool *out) noexcept {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = device.handle;
    if (flags & GS_POOL_HOST) {
        props.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
        GS_TRY(host_node(thread, device, &props.location.id));
    }
    return pool_call(thread, device, g_driver.mem_pool_create, out, &props);
}

// The pool, or for 0 the one that cuMemAllocAsync uses.
Status find_pool(ThreadBlock &thread, Device &device, uintptr_t pool, CUmemoryPool *out) noexcept {
    *out = to_pool(pool);
    if (pool != 0) return kOk;
    return pool_call(thread, device, g_driver.device_get_mem_pool, out, device.handle);
}

bool has_pool_calls(const Device &device) noexcept {
    return device.memory_pools && g_driver.mem_alloc_from_pool_async.present() && g_driver.mem_pool_create.present() &&
           g_driver.mem_pool_trim_to.present() && g_driver.mem_pool_set_attribute.present() &&
           g_driver.mem_pool_get_attribute.present() && g_driver.mem_pool_set_access.present() &&
           g_driver.device_get_mem_pool.present();
}

// *out is nullptr if there is none. The driver still has memory of some: a program has yet to wait for the stream of a free, and a new
// pool has to start with nothing.
Status take_empty(ThreadBlock &thread, Device &device, uint32_t flags, CUmemoryPool *out) noexcept {
    *out = nullptr;
    Status status = kOk;
    std::unique_ptr<IdlePool> full;
    while (std::unique_ptr<IdlePool> taken = pop_idle(device, flags)) {
        uint64_t reserved = 0;
        status = trim_to(thread, device, taken->pool, 0);
        if (status.ok())
            status = get_attribute(thread, device, taken->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
        if (status.ok() && reserved == 0) {
            *out = taken->pool;
            break;
        }
        taken->next = std::move(full);
        full = std::move(taken);
        if (!status.ok()) break;
    }
    while (full) {
        std::unique_ptr<IdlePool> one = std::move(full);
        full = std::move(one->next);
        push_idle(device, flags, std::move(one));
    }
    return status;
}

} // namespace

Status keep_freed(ThreadBlock &thread, Device &device) noexcept {
    if (has_pool_calls(device)) {
        CUmemoryPool pool = nullptr;
        uint64_t threshold = 0;
        GS_TRY(find_pool(thread, device, 0, &pool));
        GS_TRY(get_attribute(thread, device, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
        cuuint64_t all = UINT64_MAX;
        if (threshold == 0) GS_TRY(set_attribute(thread, device, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
    }
    device.pool_kept.store(true, std::memory_order_release);
    return kOk;
}

Status CudaBackend::pool_create(int32_t ordinal, uint32_t flags, uint64_t keep, uintptr_t *out) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    GS_TRY(check_health(device));
    if (!has_pool_calls(device))
        return fail(GS_ERROR_NOT_SUPPORTED, "CUDA device %d, or its driver, has no memory pools", ordinal);
    CUmemoryPool pool = nullptr;
    GS_TRY(take_empty(thread, device, flags, &pool));
    const bool is_new = !pool;
    if (is_new) GS_TRY(make_pool(thread, device, flags, &pool));
    cuuint64_t zero = 0;
    Status status = set_up(thread, device, pool, flags, keep);
    if (status.ok() && !is_new) status = set_attribute(thread, device, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero);
    if (!status.ok()) {
        (void)keep_idle(device, flags, pool); // the first failure is the one that counts
        return status;
    }
    *out = reinterpret_cast<uintptr_t>(pool);
    return kOk;
}

Status CudaBackend::pool_destroy(int32_t ordinal, uint32_t flags, uintptr_t pool) noexcept {
    Device &device = g_devices[ordinal];
    if (is_latched(device)) return kOk; // it ended with the context, or will with the process
    ThreadBlock &thread = counting_thread();
    // What is freed from now on goes back at the next synchronization.
    cuuint64_t none = 0;
    Status status = set_attribute(thread, device, to_pool(pool), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &none);
    if (const Status trimmed = pool_trim(thread, ordinal, pool, 0); status.ok()) status = trimmed;
    if (const Status kept = keep_idle(device, flags, to_pool(pool)); status.ok()) status = kept;
    return status.code == GS_ERROR_SHUTDOWN ? kOk : status;
}

Status CudaBackend::pool_trim(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, uint64_t keep) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    if (!has_pool_calls(device)) return kOk;
    CUmemoryPool found = nullptr;
    GS_TRY(find_pool(thread, device, pool, &found));
    return trim_to(thread, device, found, keep);
}

Status CudaBackend::pool_use(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, PoolQuestion question,
                             PoolUsage *out) noexcept {
    Device &device = g_devices[ordinal];
    if (!has_pool_calls(device)) return kOk;
    CUmemoryPool found = nullptr;
    GS_TRY(find_pool(thread, device, pool, &found));
    GS_TRY(get_attribute(thread, device, found, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &out->reserved));
    if (question != PoolQuestion::Reserved)
        GS_TRY(get_attribute(thread, device, found, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &out->reserved_peak));
    out->known = true;
    if (question != PoolQuestion::ResetPeak) return kOk;
    cuuint64_t zero = 0;
    return set_attribute(thread, device, found, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero);
}

} // namespace gs::cuda
