// SPDX-License-Identifier: Apache-2.0
// Memory of the devices and of the host: both are the process's own memory, distinguished by tables.
#include <cstdlib>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

constexpr size_t kAlignment = 256;

size_t used_bytes(int device) {
    size_t sum = 0;
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (const Context *context : *list)
            if (context->device == device)
                for (const auto &block : context->memory) sum += block.second.bytes;
    return sum;
}

CUresult allocate(std::map<uintptr_t, Block> &table, int kind, size_t bytes, uintptr_t *out, bool shared = false) {
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void *pointer = shared ? allocate_shared(bytes) : nullptr;
    if (!pointer) pointer = std::aligned_alloc(kAlignment, rounded);
    if (!pointer) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = reinterpret_cast<uintptr_t>(pointer);
    table[*out] = {bytes, false, 0};
    world().excused.erase(*out);
    thread().made_block = *out;
    note(kind, pointer);
    return CUDA_SUCCESS;
}

CUresult allocate_device(Context &context, size_t bytes, CUdeviceptr *out, bool shared = false) {
    if (bytes == 0 || !out) return CUDA_ERROR_INVALID_VALUE;
    const size_t free_bytes = world().memory_bytes - used_bytes(context.device);
    if (bytes > free_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
    uintptr_t address = 0;
    const CUresult result = allocate(context.memory, kMemoryKind, bytes, &address, shared);
    if (result == CUDA_SUCCESS) *out = address;
    return result;
}

// The table of the context that it was allocated in.
std::map<uintptr_t, Block> *table_with(std::map<uintptr_t, Block> Context::*table, uintptr_t address) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (Context *context : *list)
            if ((context->*table).count(address) != 0) return &(context->*table);
    return nullptr;
}

bool forget(std::map<uintptr_t, Block> Context::*table, uintptr_t address) {
    auto *found = table_with(table, address);
    if (!found) return false;
    const Block block = found->at(address);
    if (block.pool != 0) give_to_pool(block.pool, block.bytes);
    found->erase(address);
    thread().destroyed = address;
    return true;
}

// A call that allocates or frees in the current context.
CUresult enter(Context **out) {
    const CUresult result = current_context(out);
    return result != CUDA_SUCCESS ? result : check_unsafe();
}

void free_shared_copy(void *memory) {
    free_shared(*static_cast<SharedMemory *>(memory));
    delete static_cast<SharedMemory *>(memory);
}

} // namespace

CUresult api_MemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    return call(
        Fn::MemGetInfo,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
            *total_bytes = world().memory_bytes;
            *free_bytes = world().memory_bytes - used_bytes(context->device);
            return CUDA_SUCCESS;
        },
        free_bytes, total_bytes);
}

CUresult api_MemAlloc(CUdeviceptr *out, size_t bytes) {
    return call(
        Fn::MemAlloc,
        [&](Lock &) {
            Context *context = nullptr;
            const CUresult result = enter(&context);
            return result != CUDA_SUCCESS ? result : allocate_device(*context, bytes, out, true);
        },
        out);
}

CUresult api_MemFree(CUdeviceptr address) {
    return call(Fn::MemFree, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = enter(&context); result != CUDA_SUCCESS) return result;
        if (!forget(&Context::memory, address)) return CUDA_ERROR_INVALID_VALUE;
        SharedMemory memory;
        if (forget_shared(address, &memory))
            free_shared(memory);
        else
            std::free(at(address));
        return CUDA_SUCCESS;
    });
}

namespace {

// pool: of the stream's device, unless one is named.
CUresult allocate_async(CUdeviceptr *out, size_t bytes, const CUmemoryPool *pool, CUstream handle) {
    if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
    Stream *stream = nullptr;
    CUresult result = find_stream(handle, &stream);
    if (result == CUDA_SUCCESS) result = to_result(world().engine->stream_open(*stream->native), *stream->context);
    if (result != CUDA_SUCCESS) return result;
    Context &context = *stream->context;
    const Pool *named = pool ? find_pool(*pool) : nullptr;
    if (pool && !named) return CUDA_ERROR_INVALID_VALUE;
    // Memory of a node of the host can be used only by devices that were given access.
    if (named && named->host && named->reachable_from.count(context.device) == 0) return CUDA_ERROR_INVALID_VALUE;
    if (engine::Engine::capture_of(*stream->native) == 0) {
        result = allocate_device(context, bytes, out);
        if (result != CUDA_SUCCESS) return result;
        const uintptr_t owner = pool ? reinterpret_cast<uintptr_t>(*pool) : default_pool(context.device);
        context.memory[*out].pool = owner;
        take_from_pool(owner, bytes);
        return CUDA_SUCCESS;
    }
    if (bytes == 0 || !out) return CUDA_ERROR_INVALID_VALUE;
    void *pointer = nullptr; // the graph's
    result = to_result(world().engine->malloc_async(*stream->native, bytes, &pointer), context);
    if (result != CUDA_SUCCESS) return result;
    *out = reinterpret_cast<CUdeviceptr>(pointer);
    world().graph_memory[*out] = bytes;
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_MemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream handle) {
    return call(Fn::MemAllocAsync, [&](Lock &) { return allocate_async(out, bytes, nullptr, handle); }, out);
}

CUresult api_MemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream handle) {
    return call(Fn::MemAllocFromPoolAsync, [&](Lock &) { return allocate_async(out, bytes, &pool, handle); }, out);
}

CUresult api_MemFreeAsync(CUdeviceptr address, CUstream handle) {
    return call(Fn::MemFreeAsync, [&](Lock &) {
        if (!world().pools) return CUDA_ERROR_NOT_SUPPORTED;
        return work(handle, [&](engine::Stream &stream) {
            engine::Engine &engine = *world().engine;
            std::map<uintptr_t, Block> *table = table_with(&Context::memory, address);
            // Memory of a graph, or an address that is not allocated; in a capture, the driver frees only the graph's.
            if (!table || engine::Engine::capture_of(stream) != 0) {
                const engine::Result freed = engine.free_async(stream, at(address));
                return freed == engine::Result::WrongDevice ? engine::Result::InvalidValue : freed;
            }
            // Freed when the stream reaches it, or at once if its work is dropped.
            const auto known = world().shared.find(address);
            std::unique_ptr<SharedMemory> shared;
            if (known != world().shared.end()) shared = std::make_unique<SharedMemory>(known->second);
            const engine::Result result =
                shared ? engine.launch(stream, {[](void *) {}, free_shared_copy, shared.get()})
                       : engine.launch(stream, {[](void *) {}, [](void *pointer) { std::free(pointer); }, at(address)});
            if (result == engine::Result::Ok) {
                (void)shared.release(); // the engine's now
                world().shared.erase(address);
                const Block block = table->at(address);
                if (block.pool != 0) give_to_pool(block.pool, block.bytes);
                table->erase(address);
                thread().destroyed = address;
            }
            return result;
        });
    });
}

CUresult api_MemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
    return call(
        Fn::MemAllocManaged,
        [&](Lock &) {
            Context *context = nullptr;
            CUresult result = enter(&context);
            if (result != CUDA_SUCCESS) return result;
            if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
            result = allocate_device(*context, bytes, out);
            if (result == CUDA_SUCCESS) context->memory[*out].managed = true;
            return result;
        },
        out);
}

namespace {

CUresult allocate_pinned(Fn fn, void **out, size_t bytes) {
    return call(
        fn,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = enter(&context); result != CUDA_SUCCESS) return result;
            if (bytes == 0 || !out) return CUDA_ERROR_INVALID_VALUE;
            if (bytes > SIZE_MAX / 4) return CUDA_ERROR_OUT_OF_MEMORY;
            uintptr_t address = 0;
            const CUresult result = allocate(context->host_memory, kHostMemoryKind, bytes, &address);
            if (result == CUDA_SUCCESS) *out = at(address);
            return result;
        },
        out);
}

} // namespace

CUresult api_MemHostAlloc(void **out, size_t bytes, unsigned) { return allocate_pinned(Fn::MemHostAlloc, out, bytes); }
CUresult api_MemAllocHost(void **out, size_t bytes) { return allocate_pinned(Fn::MemAllocHost, out, bytes); }

CUresult api_MemFreeHost(void *pointer) {
    return call(Fn::MemFreeHost, [&](Lock &lock) {
        Context *context = nullptr;
        if (const CUresult result = enter(&context); result != CUDA_SUCCESS) return result;
        if (!forget(&Context::host_memory, reinterpret_cast<uintptr_t>(pointer))) return CUDA_ERROR_INVALID_VALUE;
        // As with the real driver, work that uses it is waited for.
        engine::Device &device = *context->native;
        lock.unlock();
        const engine::Result waited = world().engine->device_synchronize(device, true);
        lock.lock();
        if (waited != engine::Result::Ok) {
            world().quarantine.push_back(reinterpret_cast<uintptr_t>(pointer));
            return to_result(waited, *context);
        }
        std::free(pointer);
        return CUDA_SUCCESS;
    });
}

CUresult api_MemHostGetDevicePointer(CUdeviceptr *out, void *pointer, unsigned) {
    return call(
        Fn::MemHostGetDevicePointer,
        [&](Lock &) {
            *out = reinterpret_cast<CUdeviceptr>(pointer);
            return CUDA_SUCCESS;
        },
        out);
}
