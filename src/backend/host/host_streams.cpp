// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"

#include <algorithm>

namespace gs::host {

Status HostBackend::resolve(ThreadBlock &thread, StreamRef reference, Stream **out) noexcept {
    Engine &engine = running();
    if (reference.native == kNativeDefaultStream) {
        *out = &engine.legacy_stream(engine.device(reference.ordinal));
        return kOk;
    }
    if (reference.native == kNativePerThreadStream) {
        Device &device = engine.device(reference.ordinal);
        return answer(engine.per_thread_stream(thread, device, out), device, "per_thread_stream");
    }
    *out = reinterpret_cast<Stream *>(reference.native);
    return kOk;
}

Status HostBackend::stream_create(const StreamSpec &spec, StreamNative *out) noexcept {
    count_operation();
    Stream *stream = nullptr;
    Device &home = device(spec.ordinal);
    auto *share = reinterpret_cast<Share *>(spec.partition);
    GS_TRY(answer(running().stream_create(home, spec.priority, spec.blocking, &stream, share), home, "stream_create"));
    *out = {reinterpret_cast<uintptr_t>(stream), stream->priority};
    return kOk;
}

Status HostBackend::stream_destroy(StreamRef stream) noexcept {
    count_operation();
    running().stream_destroy(*reinterpret_cast<Stream *>(stream.native));
    return kOk;
}

Status HostBackend::stream_adopt(uintptr_t native, AdoptedStream *out) noexcept {
    count_operation();
    const Stream *stream = running().find_stream(native);
    if (!stream)
        return fail_native(GS_ERROR_INVALID_HANDLE, {GS_BACKEND_HOST, 0, "stream_adopt"},
                           "0x%zx is not a stream of the host backend", static_cast<size_t>(native));
    *out = {.ordinal = stream->device->ordinal, .priority = stream->priority, .blocking = stream->blocking};
    return kOk;
}

// A holder of the native value cannot change any attribute.
Status HostBackend::stream_reset(StreamRef) noexcept { return kOk; }

Status HostBackend::stream_query(ThreadBlock &thread, StreamRef reference, bool *out_done) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    const Result result = running().stream_query(*stream);
    if (result != Result::Ok && result != Result::NotReady) return answer(result, *stream->device, "stream_query");
    *out_done = result == Result::Ok;
    return kOk;
}

Status HostBackend::stream_synchronize(ThreadBlock &thread, StreamRef reference) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return answer(running().stream_synchronize(*stream), *stream->device, "stream_synchronize");
}

Status HostBackend::stream_is_capturing(ThreadBlock &thread, StreamRef reference, bool *out_capturing) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    *out_capturing = Engine::capture_of(*stream) != 0;
    return kOk;
}

Status HostBackend::stream_driver_id(ThreadBlock &thread, StreamRef reference, uint64_t *out_id) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    *out_id = stream->id;
    return kOk;
}

// A virtual device stands for its context too.
Status HostBackend::stream_context(ThreadBlock &, StreamRef reference, uintptr_t *out_context) noexcept {
    *out_context = reinterpret_cast<uintptr_t>(&device(reference.ordinal));
    return kOk;
}

Status HostBackend::stream_wait_event(ThreadBlock &thread, StreamRef reference, uintptr_t event,
                                      bool external) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    const Result result = running().stream_wait(*stream, *reinterpret_cast<Event *>(event), external);
    return answer(result, *stream->device, "stream_wait_event");
}

// Partitions: shares of the workers, which stand for multiprocessors. All workers are alike, so a unit is as large as the
// caller wants, and every stream has a queue of its own.
Status HostBackend::partition_create(int32_t ordinal, const uint32_t *counts, size_t count, uint32_t flags,
                                     PartitionNative *out) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    const auto workers = static_cast<uint64_t>(running().workers().count());
    uint64_t wanted = 0;
    const uint32_t unit = std::max(coscheduled_of(flags), 1u);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t rounded = (uint64_t{counts[i]} + unit - 1) / unit * unit;
        wanted += rounded;
        if ((flags & GS_PARTITION_EXACT) != 0 && rounded != counts[i])
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "counts[%zu] is %u, but partitions of the host backend are made of units of %u workers here", i,
                        counts[i], unit);
    }
    if (wanted > workers)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "the partitions do not fit: they need %llu workers, and the host backend has %llu "
                    "(GPUSTREAM_HOST_WORKERS)",
                    static_cast<unsigned long long>(wanted), static_cast<unsigned long long>(workers));
    for (size_t i = 0; i < count; ++i) {
        const uint32_t has = (counts[i] + unit - 1) / unit * unit;
        out[i] = {.sm_count = has, .device_sm_count = static_cast<uint32_t>(workers), .unit_sm_count = unit};
        if ((flags & GS_PARTITION_PLAN) != 0) continue;
        Share *share = WorkerPool::make_share(static_cast<int32_t>(has));
        if (!share) {
            while (i > 0) running().workers().leave(*reinterpret_cast<Share *>(out[--i].native));
            return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu partitions", count);
        }
        out[i].native = reinterpret_cast<uintptr_t>(share);
    }
    return kOk;
}

Status HostBackend::partition_destroy(int32_t, uintptr_t partition) noexcept {
    count_operation();
    if (partition != 0) running().workers().leave(*reinterpret_cast<Share *>(partition)); // 0: a plan
    return kOk;
}

} // namespace gs::host
