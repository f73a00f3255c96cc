// SPDX-License-Identifier: Apache-2.0
#include "backend/host/status_map.hpp"

#include "base/thread_block.hpp"

namespace gs::host {
namespace {

struct Entry {
    Result result;
    gs_status_t status;
    const char *text;
};

constexpr Entry kEntries[] = {
    {Result::Ok, GS_OK, "success"},
    {Result::NotReady, GS_NOT_READY, "the work is pending"},
    {Result::InvalidValue, GS_ERROR_INVALID_ARGUMENT, "an argument is out of its range"},
    {Result::NotRecorded, GS_ERROR_NOT_RECORDED, "the event was never recorded"},
    {Result::TimingDisabled, GS_ERROR_TIMING_DISABLED, "the event takes no time stamps"},
    {Result::OutOfMemory, GS_ERROR_OUT_OF_MEMORY, "memory is exhausted"},
    {Result::NoRoom, GS_ERROR_OUT_OF_MEMORY, "shared memory is exhausted"},
    {Result::System, GS_ERROR_SYSTEM, "a system call failed"},
    {Result::Faulted, GS_ERROR_STICKY, "the virtual device is in error"},
    {Result::ContextLost, GS_ERROR_CONTEXT_LOST, "the virtual device was reset"},
    {Result::StreamCapturing, GS_ERROR_CAPTURING, "the stream is being captured: end the capture first"},
    {Result::CaptureInvalidated, GS_ERROR_CAPTURING,
     "the stream's capture was broken by an earlier call: end it on the stream where it began"},
    {Result::CaptureUnmatched, GS_ERROR_CAPTURING,
     "the stream has joined a capture that began on another stream: end it there"},
    {Result::CaptureUnjoined, GS_ERROR_CAPTURING,
     "a stream of the capture was not joined to the one where it began: make that one wait for it before the end"},
    {Result::CaptureThread, GS_ERROR_CAPTURING, "the capture was begun by another thread, which must end it"},
    {Result::CaptureEnded, GS_ERROR_INVALID_ARGUMENT, "the event was last recorded in a capture that has ended"},
    {Result::HasExecutable, GS_ERROR_INVALID_ARGUMENT,
     "a graph that allocates or frees memory has one executable at a time: destroy the other first"},
    {Result::MemoryLeft, GS_ERROR_INVALID_ARGUMENT, "memory that an earlier launch allocated has not been freed"},
    {Result::NothingToFree, GS_ERROR_INVALID_ARGUMENT,
     "the graph frees memory that another graph has to allocate first"},
    {Result::GraphChanged, GS_ERROR_INVALID_ARGUMENT, "the graph differs in more than parameters"},
    {Result::CaptureMerge, GS_ERROR_CAPTURING, "the wait would join two captures"},
    {Result::CaptureIsolation, GS_ERROR_CAPTURING,
     "a captured stream cannot wait for work outside of its capture: wait before the capture begins"},
    {Result::CaptureImplicit, GS_ERROR_CAPTURING,
     "the default stream cannot be used while a blocking stream is being captured"},
    {Result::CapturedEvent, GS_ERROR_CAPTURING, "the event was last recorded in a capture"},
    {Result::NotCapturing, GS_ERROR_INVALID_ARGUMENT, "the stream is not being captured"},
    {Result::NotSupported, GS_ERROR_NOT_SUPPORTED,
     "an event cannot be opened by the process that exported it, nor exported by one that opened it"},
    {Result::InterprocessRecord, GS_ERROR_NOT_SUPPORTED, "a graph cannot record an interprocess event"},
    {Result::NotAHandle, GS_ERROR_INVALID_ARGUMENT, "the bytes are not an exported event"},
    {Result::WrongDevice, GS_ERROR_DEVICE_MISMATCH, "the event was exported from another device"},
    {Result::PeerLost, GS_ERROR_PEER_LOST,
     "the other process of an interprocess event is gone, or dropped the work before its record"},
};

const Entry &entry_of(Result result) noexcept {
    for (const Entry &entry : kEntries)
        if (entry.result == result) return entry;
    return kEntries[0];
}

} // namespace

const char *result_text(int32_t result) noexcept {
    for (const Entry &entry : kEntries)
        if (static_cast<int32_t>(entry.result) == result) return entry.text;
    return nullptr;
}

Status failure(Engine &engine, Device &device, Result result, const char *operation) noexcept {
    const Entry &entry = entry_of(result);
    const NativeError native{GS_BACKEND_HOST, static_cast<int32_t>(result), operation};
    if (result == Result::NotReady) return {GS_NOT_READY};
    if (result == Result::System || result == Result::NoRoom) {
        // The pending record has the detail already, with its own code: out of memory may be why a thread did not start.
        const ThreadBlock *thread = this_thread();
        return {thread && thread->pending.status != GS_OK ? thread->pending.status : entry.status};
    }
    if (result == Result::Faulted || result == Result::ContextLost) {
        const Fault fault = engine.fault(device);
        return fail_sticky(entry.status, native, fault.origin, "host device %d: %s (code %d, first seen at %s)",
                           device.ordinal, entry.text, fault.code, fault.origin);
    }
    return fail_native(entry.status, native, "host device %d: %s", device.ordinal, entry.text);
}

} // namespace gs::host
