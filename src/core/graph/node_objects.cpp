// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_objects.hpp"

#include <new>

#include "core/event/event_cache.hpp"
#include "core/event/event_hot.hpp"
#include "core/event/event_life.hpp"
#include "core/event/event_ops.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/lookup.hpp"
#include "core/thread/attach.hpp"
#include "core/work/host_call.hpp"
#include "core/work/kernels.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

// On the dispatcher, which creates no events: what it destroys is for others to reuse.
void let_go_of_event(void *event) noexcept {
    ThreadBlock *thread = this_thread();
    CoreThread *core = thread ? core_thread(*thread) : nullptr;
    if (!core) return;
    release_event(*thread, reinterpret_cast<uint64_t>(event)).ignore();
    give_all_events(core->events);
}

// The reference that was taken for the graph becomes the graph's.
Status give_to(GraphHolds &holds, GraphHolds::Release release, void *what) noexcept {
    bool known = false;
    const Status status = holds.add(release, what, &known);
    if (!status.ok() || known) release(what);
    return status;
}

Status check_dimensions(const gs_launch_config_t &config) noexcept {
    if (config.grid_x && config.grid_y && config.grid_z && config.block_x && config.block_y && config.block_z)
        return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "grid (%u, %u, %u), block (%u, %u, %u): a dimension is 0", config.grid_x,
                config.grid_y, config.grid_z, config.block_x, config.block_y, config.block_z);
}

// A record must be of the graph's device; a wait may be for an event of any device of the backend.
Status native_event(const GraphSlot &graph, EventSlot &event, int32_t kind, uintptr_t *out) noexcept {
    const Device *device = event.device.load(std::memory_order_acquire);
    if (!device || (kind == GS_NODE_RECORD && device != graph.device))
        GS_TRY(bind_event(event, *graph.device));
    else if (device->backend != graph.device->backend)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the event is of %s device %d, the graph of %s device %d",
                    device->backend->name(), device->ordinal, graph.device->backend->name(), graph.device->ordinal);
    return native_for_graph(event, out);
}

} // namespace

Status host_params(GraphHolds &holds, void (*fn)(void *), void *arg, NodeParams *params) noexcept {
    GraphCall call{};
    GS_TRY(make_graph_call(fn, arg, &call));
    GS_TRY(give_to(holds, end_graph_call, call.arg));
    params->host = {call.fn, call.arg};
    return kOk;
}

Status kernel_params(ThreadBlock &thread, const GraphSlot &graph, ModuleList &modules, uint64_t handle,
                     const gs_launch_config_t &config, void **arguments, NodeParams *params,
                     std::string *out_name) noexcept {
    GS_TRY(check_dimensions(config));
    CallMark mark(thread);
    const KernelSlot *kernel = nullptr;
    GS_TRY(required_kernel(handle, *graph.device, &kernel));
    try {
        if (out_name) *out_name = kernel->name;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the name of a kernel");
    }
    params->kernel = {kernel->native,
                      {config.grid_x, config.grid_y, config.grid_z},
                      {config.block_x, config.block_y, config.block_z},
                      config.shared_memory_bytes,
                      arguments};
    return modules.add(*kernel->loaded);
}

Status event_params(ThreadBlock &thread, const GraphSlot &graph, uint64_t handle, NodeParams *params) noexcept {
    CallMark mark(thread);
    EventSlot *event = nullptr;
    GS_TRY(required_event(thread, handle, &event));
    return native_event(graph, *event, params->kind, &params->event);
}

Status hold_event(ThreadBlock &thread, GraphHolds &holds, uint64_t handle) noexcept {
    GS_TRY(retain_event(thread, handle));
    return give_to(holds, let_go_of_event, reinterpret_cast<void *>(handle)); // NOLINT: a number
}

} // namespace gs
