// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_calls.hpp"

#include "base/log.hpp"
#include "base/status.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/names.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

void destroy(ThreadBlock &thread, uint64_t handle, ExecSlot &exec) noexcept {
    const Status status = exec.graphs->exec_destroy(thread, exec.ref());
    if (status.ok()) return;
    log_message(GS_LOG_WARNING, "destroying executable graph %s of %s device %d failed: %s: %s",
                describe_object(handle).text, exec.device->backend->name(), exec.device->ordinal,
                status_name(status.code), pending_text());
}

Status on_stream(ThreadBlock &thread, uint64_t exec, uint64_t stream, ExecCall call,
                 bool never_captured = false) noexcept {
    LockedExec locked;
    GS_TRY(locked.find(thread, exec));
    CallMark mark(thread);
    StreamSlot *target = nullptr;
    GS_TRY(optional_stream(thread, stream, &target));
    if (locked->device != target->device) return refuse_other_device(*locked, *target);
    GS_TRY(check_health(*target));
    if (never_captured || capture_guard()) GS_TRY(refuse_captured(thread, *target));
    mark_used(*target);
    if (locked->random && call == &Graphs::exec_launch) return launch_with_random(thread, *locked, *target);
    return (locked->graphs->*call)(thread, locked->ref(), target->ref());
}

Status no_such_exec(uint64_t handle) noexcept { return no_such_object(Kind::GraphExec, handle); }

} // namespace

Status LockedExec::find(ThreadBlock &thread, uint64_t handle) noexcept {
    ExecSlot *slot = exec_slots().find(handle);
    if (!slot) return no_such_exec(handle);
    slot->mutex.lock();
    locked_ = slot;
    if (slot->handle.load(std::memory_order_seq_cst) != handle) return no_such_exec(handle);
    const uint32_t owner = slot->owner.load(std::memory_order_seq_cst);
    if (owner != thread.id && owner != kManyOwners) {
        if (!share_slot(*slot, handle))
            return no_such_exec(handle); // one-sided: only a destroy clears it, under the mutex
        wait_for_calls(thread);          // the owner's calls take no lock
    }
    slot_ = slot;
    return kOk;
}

Status instantiate_graph(ThreadBlock &thread, uint64_t graph, uint32_t flags, uint64_t *out_handle) noexcept {
    ExecSlot *slot = take_exec_slot();
    if (!slot) return no_slot(Kind::GraphExec);
    NameText name{};
    const Status status = [&]() -> Status {
        LockedGraph locked;
        GS_TRY(locked.find(graph));
        name = name_of_object(graph);
        if (locked->use == GraphUse::Inside)
            return fail(GS_ERROR_NOT_PERMITTED, "the graph is part of another graph, which can be instantiated");
        if (locked->captured_into()) return fail(GS_ERROR_CAPTURING, "a stream is being captured into the graph");
        GS_TRY(check_health(*locked->device));
        slot->device = locked->device;
        slot->graphs = locked->graphs;
        slot->source = graph;
        GS_TRY(prepare_holds(thread, *locked));
        slot->holds = locked->holds;
        take_modules(*slot, *locked);
        take_random(*slot, *locked);
        GraphFailure failure;
        return locked->graphs->instantiate(thread, locked->ref(), flags, &slot->native, &failure);
    }();
    if (!status.ok()) {
        give_exec_slot(*slot);
        return status;
    }
    *out_handle = publish_exec(thread, *slot);
    if (name.text[0] != '\0' && !set_name(*out_handle, name.text).ok())
        thread.pending = no_error(); // without memory for it, it has none
    return kOk;
}

Status release_exec(ThreadBlock &thread, uint64_t handle) noexcept {
    ExecSlot *ended = nullptr;
    {
        LockedExec exec;
        GS_TRY(exec.find(thread, handle));
        // All calls but the owner's take the mutex, and the owner is this thread or has left its call.
        bool last = false;
        release_reference(*exec, &last);
        if (!last) return kOk;
        destroy(thread, handle, *exec);
        ended = &*exec;
    }
    give_exec_slot(*ended);
    return kOk;
}

Status refuse_other_device(const ExecSlot &exec, const StreamSlot &stream) noexcept {
    return fail(GS_ERROR_DEVICE_MISMATCH, "executable graph %s is of %s device %d, the stream is on %s device %d",
                describe_object(exec.handle.load(std::memory_order_relaxed)).text, exec.device->backend->name(),
                exec.device->ordinal, stream.backend->name(), stream.ordinal);
}

Status refuse_captured(ThreadBlock &thread, const StreamSlot &stream) noexcept {
    bool capturing = false;
    GS_TRY(stream.backend->stream_is_capturing(thread, stream.ref(), &capturing));
    return capturing ? fail(GS_ERROR_CAPTURING, "the stream is being captured, and an executable graph cannot be: "
                                                "a GS_NODE_GRAPH node puts a graph into another one")
                     : kOk;
}

Status launch_shared(ThreadBlock &thread, uint64_t exec, uint64_t stream) noexcept {
    return on_stream(thread, exec, stream, &Graphs::exec_launch);
}

Status upload_exec(ThreadBlock &thread, uint64_t exec, uint64_t stream) noexcept {
    return on_stream(thread, exec, stream, &Graphs::exec_upload, true);
}

} // namespace gs
