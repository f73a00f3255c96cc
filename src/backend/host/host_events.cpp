// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backend/host/host_backend.hpp"

namespace gs::host {
namespace {

Event &event_of(uintptr_t word) noexcept { return *reinterpret_cast<Event *>(word); }

} // namespace

Status HostBackend::event_create(int32_t ordinal, uint32_t flags, uintptr_t *out_event) noexcept {
    count_operation();
    EventOptions options;
    options.timing = (flags & GS_EVENT_TIMING) != 0;
    options.blocking = (flags & GS_EVENT_BLOCKING) != 0;
    options.interprocess = (flags & GS_EVENT_INTERPROCESS) != 0;
    Event *event = nullptr;
    GS_TRY(answer(running().event_create(device(ordinal), options, &event), device(ordinal), "event_create"));
    *out_event = reinterpret_cast<uintptr_t>(event);
    return kOk;
}

Status HostBackend::event_destroy(int32_t, uintptr_t event) noexcept {
    count_operation();
    running().event_destroy(event_of(event));
    return kOk;
}

Status HostBackend::event_adopt(int32_t ordinal, uintptr_t event) noexcept {
    count_operation();
    const Event *found = running().find_event(event);
    const NativeError native{GS_BACKEND_HOST, 0, "event_adopt"};
    if (!found)
        return fail_native(GS_ERROR_INVALID_HANDLE, native, "0x%zx is not an event of the host backend",
                           static_cast<size_t>(event));
    if (found->device->ordinal != ordinal)
        return fail_native(GS_ERROR_DEVICE_MISMATCH, native, "the event 0x%zx is of host device %d, not of %d",
                           static_cast<size_t>(event), found->device->ordinal, ordinal);
    return kOk;
}

Status HostBackend::event_record(ThreadBlock &thread, uintptr_t event, StreamRef reference, bool external) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return answer(running().event_record(event_of(event), *stream, external), *stream->device, "event_record");
}

Status HostBackend::event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept {
    thread.counters.driver_calls.add();
    const Result result = running().event_query(event_of(event));
    if (result != Result::Ok && result != Result::NotReady) return answer(result, device(ordinal), "event_query");
    *out_done = result == Result::Ok;
    return kOk;
}

Status HostBackend::event_synchronize(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept {
    thread.counters.driver_calls.add();
    return answer(running().event_synchronize(event_of(event)), device(ordinal), "event_synchronize");
}

Status HostBackend::event_signal(uintptr_t event, std::atomic<uint32_t> &word) noexcept {
    if (running().event_signal(event_of(event), word)) return kOk;
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the signal of an event");
}

Status HostBackend::device_record(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept {
    thread.counters.driver_calls.add();
    return answer(running().device_record(device(ordinal), event_of(event)), device(ordinal), "device_record");
}

Status HostBackend::event_elapsed_ms(ThreadBlock &thread, int32_t ordinal, uintptr_t start, uintptr_t end,
                                     double *out_ms) noexcept {
    thread.counters.driver_calls.add();
    int64_t ns = 0;
    GS_TRY(answer(running().event_elapsed_ns(event_of(start), event_of(end), &ns), device(ordinal), "event_elapsed"));
    *out_ms = static_cast<double>(ns) / 1e6;
    return kOk;
}

Status HostBackend::event_ipc_export(int32_t ordinal, uintptr_t event, gs_ipc_handle_t *out) noexcept {
    count_operation();
    IpcHandle handle;
    GS_TRY(answer(running().ipc_export(event_of(event), &handle), device(ordinal), "ipc_export"));
    static_assert(sizeof *out == sizeof handle);
    std::memcpy(out, &handle, sizeof handle);
    return kOk;
}

Status HostBackend::event_ipc_open(int32_t ordinal, const gs_ipc_handle_t &handle, uintptr_t *out_event) noexcept {
    count_operation();
    IpcHandle ours;
    std::memcpy(static_cast<void *>(&ours), &handle, sizeof ours);
    Event *event = nullptr;
    GS_TRY(answer(running().ipc_open(device(ordinal), ours, &event), device(ordinal), "ipc_open"));
    *out_event = reinterpret_cast<uintptr_t>(event);
    return kOk;
}

} // namespace gs::host
