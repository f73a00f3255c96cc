// SPDX-License-Identifier: Apache-2.0
#include "core/work/kernels.hpp"

#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"

namespace gs {
namespace {

constexpr uint32_t kFlags =
    GS_LAUNCH_COOPERATIVE | GS_LAUNCH_PROGRAMMATIC | GS_LAUNCH_PRIORITY | GS_LAUNCH_REMOTE_DOMAIN;
constexpr uint32_t kLargestCluster = 8; // what every device with clusters can run
constexpr uint32_t kFlagsOfOthers = GS_EVENT_TIMING | GS_EVENT_INTERPROCESS | GS_EVENT_EXTERNAL;

Status check_cluster(const gs_launch_config_t &config) noexcept {
    const uint32_t x = config.cluster_x, y = config.cluster_y, z = config.cluster_z;
    if (x == 0 && y == 0 && z == 0) return kOk;
    if (x == 0 || y == 0 || z == 0)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "a cluster of %u x %u x %u blocks: give at least 1 along each axis, or 0 along all for none", x, y,
                    z);
    if (x > kLargestCluster || y > kLargestCluster || z > kLargestCluster || x * y * z > kLargestCluster)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a cluster of %u x %u x %u blocks: at most %u blocks are possible", x, y,
                    z, kLargestCluster);
    if (config.grid_x % x == 0 && config.grid_y % y == 0 && config.grid_z % z == 0) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT,
                "a cluster of %u x %u x %u blocks does not divide the grid of %u x %u x %u: round the grid up to whole "
                "clusters",
                x, y, z, config.grid_x, config.grid_y, config.grid_z);
}

} // namespace

Status check_attributes(const gs_launch_config_t &config) noexcept {
    if (config.flags & ~kFlags)
        return fail(GS_ERROR_INVALID_ARGUMENT, "flags are 0x%x: launches know only those in 0x%x (GS_LAUNCH_*)",
                    config.flags, kFlags);
    if (config.reserved != 0) return fail(GS_ERROR_INVALID_ARGUMENT, "reserved is %u: it must be 0", config.reserved);
    if (config.priority != 0 && (config.flags & GS_LAUNCH_PRIORITY) == 0)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "priority is %d, but flags lack GS_LAUNCH_PRIORITY, with which it counts", config.priority);
    return check_cluster(config);
}

Status EarlyEvent::take(ThreadBlock &thread, StreamSlot &stream, gs_launch_config_t *config) noexcept {
    if (!config->programmatic_event) return kOk;
    EventSlot *event = nullptr;
    GS_TRY(required_event(thread, handle_bits(config->programmatic_event), &event));
    if (event->flags & kFlagsOfOthers)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "the event has flags 0x%x: a programmatic event is made without GS_EVENT_TIMING, "
                    "GS_EVENT_INTERPROCESS and GS_EVENT_EXTERNAL",
                    event->flags);
    bool captured = false;
    GS_TRY(is_captured(thread, stream, &captured));
    if (captured)
        return fail(GS_ERROR_CAPTURING, "a capture has no programmatic events: launch the next kernel of the stream "
                                        "with GS_LAUNCH_PROGRAMMATIC, or record the event behind the kernel");
    // As in model first_record_is_seen_whole.
    if (event->device.load(std::memory_order_acquire) != stream.device) GS_TRY(bind_event(*event, *stream.device));
    bool replaced = false;
    GS_TRY(record_if_held(thread, *event, stream, &replaced)); // who asks about the last record keeps its driver event
    uintptr_t native = 0;
    GS_TRY(native_for_graph(*event, &native));
    config->programmatic_event = reinterpret_cast<gs_event_t>(native); // NOLINT: for the backend
    before_ = event->word.load(std::memory_order_acquire); // as record_bound(): model first_record_is_seen_whole
    event_ = event;
    return kOk;
}

void EarlyEvent::recorded(ThreadBlock &thread, StreamSlot &stream, const Status &status) noexcept {
    if (!event_) return;
    if (!status.ok()) return spoil_record(*event_, before_);
    thread.counters.records.add();
    publish_record_of(thread, *event_, stream, before_);
}

} // namespace gs
