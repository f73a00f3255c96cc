// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"
#include "backend/host/host_module.hpp"

namespace gs::host {
namespace {

Status refuse_graph_memory(const NativeError &native) noexcept {
    return fail_native(GS_ERROR_NOT_SUPPORTED, native,
                       "graphs inside other graphs, as bodies of conditions are, cannot allocate or free memory");
}

} // namespace

Status HostBackend::launch_host(ThreadBlock &thread, StreamRef reference, void (*fn)(void *), void *arg) noexcept {
    return on_stream(thread, reference, "launch_host",
                     [&](Stream &stream) { return running().launch(stream, Task{fn, nullptr, arg}); });
}

Status HostBackend::sleep(ThreadBlock &thread, StreamRef reference, uint64_t cycles) noexcept {
    return on_stream(thread, reference, "sleep", [&](Stream &stream) { return running().sleep(stream, cycles); });
}

Status HostBackend::malloc_async(ThreadBlock &thread, StreamRef reference, uintptr_t /*pool*/, size_t bytes,
                                 void **out) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    const Result result = running().malloc_async(*stream, bytes, out);
    if (result == Result::OutOfMemory)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, {GS_BACKEND_HOST, static_cast<int32_t>(result), "malloc_async"},
                           "host device %d: no memory for %zu bytes", stream->device->ordinal, bytes);
    if (result == Result::NotSupported)
        return refuse_graph_memory({GS_BACKEND_HOST, static_cast<int32_t>(result), "malloc_async"});
    return answer(result, *stream->device, "malloc_async");
}

Status HostBackend::free_async(ThreadBlock &thread, StreamRef reference, void *pointer, bool *out_freed) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    const Result result = running().free_async(*stream, pointer);
    *out_freed = result == Result::Ok; // the engine keeps what it could not free
    const NativeError native{GS_BACKEND_HOST, static_cast<int32_t>(result), "free_async"};
    if (result == Result::InvalidValue)
        return fail_native(GS_ERROR_INVALID_ARGUMENT, native,
                           "%p did not come from gs_malloc_async, or was freed before, or the graph frees it already",
                           pointer);
    if (result == Result::WrongDevice)
        return fail_native(GS_ERROR_DEVICE_MISMATCH, native,
                           "the graph memory at %p is of another device than the stream's", pointer);
    if (result == Result::NotSupported) return refuse_graph_memory(native);
    return answer(result, *stream->device, "free_async");
}

Status HostBackend::malloc_host(int32_t ordinal, size_t bytes, void **out) noexcept {
    count_operation();
    const Result result = running().malloc_host(bytes, out);
    if (result == Result::OutOfMemory)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, {GS_BACKEND_HOST, static_cast<int32_t>(result), "malloc_host"},
                           "no host memory for %zu bytes", bytes);
    return answer(result, device(ordinal), "malloc_host");
}

Status HostBackend::free_host(void *pointer) noexcept {
    count_operation();
    const Result result = running().free_host(pointer);
    if (result == Result::Ok) return kOk;
    return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_HOST, static_cast<int32_t>(result), "free_host"},
                       "%p did not come from gs_malloc_host, or was freed before", pointer);
}

Status HostBackend::memcpy_async(ThreadBlock &thread, StreamRef reference, void *dst, const void *src,
                                 size_t bytes) noexcept {
    return on_stream(thread, reference, "memcpy_async",
                     [&](Stream &stream) { return running().copy(stream, dst, src, bytes); });
}

// ANY is read at once too: the earliest time is the one that shows a source that is not written yet.
Status HostBackend::memcpy_batch(ThreadBlock &thread, StreamRef reference, const gs_copy_t *copies, size_t count,
                                 int32_t order) noexcept {
    const bool at_once = order != GS_ACCESS_ORDER_STREAM;
    return on_stream(thread, reference, "memcpy_batch",
                     [&](Stream &stream) { return running().copy_batch(stream, copies, count, at_once); });
}

Status HostBackend::memset_async(ThreadBlock &thread, StreamRef reference, void *dst, uint8_t value,
                                 size_t bytes) noexcept {
    return on_stream(thread, reference, "memset_async",
                     [&](Stream &stream) { return running().fill(stream, dst, value, bytes); });
}

Status HostBackend::module_load(int32_t ordinal, const void *image, size_t bytes, uintptr_t *out_module) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    Module *module = nullptr;
    GS_TRY(load_module(image, bytes, &module));
    *out_module = reinterpret_cast<uintptr_t>(module);
    return kOk;
}

Status HostBackend::module_destroy(int32_t, uintptr_t module) noexcept {
    count_operation();
    release_module(*reinterpret_cast<Module *>(module));
    return kOk;
}

Status HostBackend::module_get_kernel(int32_t, uintptr_t module, const char *name, uintptr_t *out_kernel) noexcept {
    count_operation();
    Kernel *kernel = nullptr;
    GS_TRY(find_kernel(*reinterpret_cast<Module *>(module), name, &kernel));
    *out_kernel = reinterpret_cast<uintptr_t>(kernel);
    return kOk;
}

Status HostBackend::kernel_launch(ThreadBlock &thread, StreamRef reference, uintptr_t kernel,
                                  const gs_launch_config_t &config, void **arguments) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    Task task{};
    GS_TRY(prepare_launch(running(), *reinterpret_cast<Kernel *>(kernel), config, arguments, *stream->device, &task));
    Result result = running().launch(*stream, task, NodeKind::Kernel, traits_of(config));
    if (result != Result::Ok) task.drop(task.arg);
    if (result == Result::Ok && config.programmatic_event)
        result = running().event_record(*reinterpret_cast<Event *>(config.programmatic_event), *stream, false, true);
    return answer(result, *stream->device, "kernel_launch");
}

// Stream memory operations.

namespace {

uint8_t width(uint32_t flags) noexcept { return (flags & GS_VALUE_32) != 0 ? 4 : 8; }

constexpr WordTest kTests[] = {WordTest::Geq, WordTest::Eq, WordTest::And, WordTest::Nor}; // by GS_VALUE_*
constexpr uint32_t kTestMask = 3;
static_assert(GS_VALUE_GEQ == 0 && GS_VALUE_EQ == 1 && GS_VALUE_AND == 2 && GS_VALUE_NOR == 3);

} // namespace

// This backend makes all earlier stores visible before a write: GS_VALUE_NO_BARRIER changes nothing.
Status HostBackend::write_value(ThreadBlock &thread, StreamRef reference, void *address, uint64_t value,
                                uint32_t flags) noexcept {
    return on_stream(thread, reference, "write_value",
                     [&](Stream &stream) { return running().write_value(stream, {address, value, width(flags)}); });
}

Status HostBackend::wait_value(ThreadBlock &thread, StreamRef reference, void *address, uint64_t value,
                               uint32_t flags) noexcept {
    const WordWait wait{address, value, kTests[flags & kTestMask], width(flags)};
    return on_stream(thread, reference, "wait_value",
                     [&](Stream &stream) { return running().wait_value(stream, wait); });
}

Status HostBackend::batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                                 size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) {
        const gs_value_op_t &op = ops[i];
        GS_TRY((op.flags & GS_VALUE_WRITE) != 0 ? write_value(thread, stream, op.address, op.value, op.flags)
                                                : wait_value(thread, stream, op.address, op.value, op.flags));
    }
    return kOk;
}

void HostBackend::value_written(const void *address) noexcept { running().value_written(address); }

Status HostBackend::register_words(int32_t ordinal, void *memory, size_t, void **out_address) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    *out_address = memory;
    return kOk;
}

} // namespace gs::host
