// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <new>

#include "core/event/event_calls.hpp"
#include "core/lookup.hpp"
#include "core/open_ranges.hpp"
#include "core/seam/core_services.hpp"
#include "core/stream/captured.hpp"
#include "handle/grace.hpp"
#include "tools/leaks/births.hpp"
#include "tools/recorder/event_log.hpp"
#include "tools/tool_locks.hpp"

namespace gs::trace {
namespace {

struct Region {
    uint64_t stream = 0;
    uint64_t begin = 0, end = 0; // events; 0: there is none yet
    int64_t from_ns = 0;         // without an event at the beginning: when the first work had been submitted
    uint32_t name = 0;
    uint32_t thread = 0;
    bool failed = false;
    bool elsewhere = false; // all work of the range is in other streams, which have regions of their own
};

std::atomic<bool> g_times_regions{false};
Region *g_regions GS_GUARDED_BY(g_trace_mutex) = nullptr; // kMostRegions of them, for the life of the process
size_t g_region_count GS_GUARDED_BY(g_trace_mutex) = 0;
uint64_t g_regions_left_out GS_GUARDED_BY(g_trace_mutex) = 0;
uint32_t g_region_trace GS_GUARDED_BY(g_trace_mutex) = 0; // which trace they are of

// A place in g_regions and the trace that it is of, as a thread keeps it for each of its open ranges; 0: not timed.
uint64_t token_of(uint32_t trace, size_t place) noexcept { return uint64_t{trace} << 32 | (place + 1); }

Region *find_region(uint64_t token) noexcept GS_REQUIRES(g_trace_mutex) {
    const auto place = static_cast<size_t>(token & UINT32_MAX);
    const bool is_of_this_trace = place != 0 && token >> 32 == g_region_trace && place <= g_region_count;
    return is_of_this_trace ? &g_regions[place - 1] : nullptr;
}

uint64_t take_region(const Region &region) noexcept {
    MutexLock lock(g_trace_mutex);
    if (!g_regions || g_region_count == kMostRegions) {
        ++g_regions_left_out;
        return 0;
    }
    g_regions[g_region_count] = region;
    return token_of(g_region_trace, g_region_count++);
}

void leave_out() noexcept {
    MutexLock lock(g_trace_mutex);
    ++g_regions_left_out;
}

// A new timed event, recorded in the stream.
Status record_edge(ThreadBlock &thread, uint64_t stream, uint64_t *out_stream, uint64_t *out_event) noexcept {
    uint64_t event = 0;
    GS_TRY(create_event(thread, GS_EVENT_TIMING, &event));
    leaks::forget_birth(event);
    Status status = kOk;
    {
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        EventSlot *edge = nullptr;
        bool captured = false;
        status = optional_stream(thread, stream, &slot);
        if (status.ok()) status = required_event(thread, event, &edge);
        if (status.ok()) status = is_captured(thread, *slot, &captured);
        if (status.ok() && captured) status = Status{GS_ERROR_CAPTURING};
        if (status.ok()) status = record_out_of_line(thread, *edge, *slot);
        if (status.ok()) *out_stream = slot->handle.load(std::memory_order_relaxed);
    }
    if (status.ok())
        *out_event = event;
    else
        release_event(thread, event).ignore(); // no caller has the handle
    return status;
}

uint64_t *open_regions(ThreadBlock &thread) noexcept {
    if (!thread.open_regions) thread.open_regions = new (std::nothrow) uint64_t[kMostOpenRanges]{};
    return thread.open_regions;
}

// Only a stream that was the current one has an event at the beginning.
void add_region(ThreadBlock &thread, const Region &of, const recorder::UsedStream &used) noexcept {
    Region region;
    region.name = of.name;
    region.thread = of.thread;
    region.from_ns = static_cast<int64_t>(used.first_ns);
    if (!record_edge(thread, used.stream, &region.stream, &region.end).ok()) return leave_out();
    if (take_region(region) == 0) release_event(thread, region.end).ignore(); // no caller has the handle
}

void release_all(ThreadBlock &thread, const Region *regions, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i)
        for (const uint64_t event : {regions[i].begin, regions[i].end})
            if (event != 0) release_event(thread, event).ignore(); // no caller has the handles
}

} // namespace

bool times_regions() noexcept { return g_times_regions.load(std::memory_order_relaxed); }
void stop_regions() noexcept { g_times_regions.store(false, std::memory_order_relaxed); }

Status start_regions(ThreadBlock &thread) noexcept {
    auto *fresh = new (std::nothrow) Region[kMostRegions];
    if (!fresh) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the ranges of a trace");
    guard_tool_locks();
    Region *old = nullptr;
    size_t count = 0;
    {
        MutexLock lock(g_trace_mutex);
        old = g_regions;
        count = g_region_count;
        g_regions = fresh;
        g_region_count = 0;
        g_regions_left_out = 0;
        ++g_region_trace;
    }
    if (old) release_all(thread, old, count);
    delete[] old; // all who look into it hold the lock
    g_times_regions.store(true, std::memory_order_relaxed);
    return kOk;
}

void begin_region(ThreadBlock &thread, uint32_t name) noexcept {
    uint64_t *const open = open_regions(thread);
    if (!open) return leave_out();
    uint64_t &token = open[thread.open_ranges - 1];
    token = 0;
    Region region;
    region.name = name;
    region.thread = static_cast<uint32_t>(os_id(thread));
    if (thread.callback_depth > 0 || !record_edge(thread, kCurrentStreamBits, &region.stream, &region.begin).ok())
        return leave_out();
    token = take_region(region);
    if (token == 0) release_event(thread, region.begin).ignore(); // no caller has the handle
}

void end_region(ThreadBlock &thread) noexcept {
    uint64_t *const open = thread.open_regions;
    if (!open || open[thread.open_ranges - 1] == 0) return;
    const uint64_t token = open[thread.open_ranges - 1];
    open[thread.open_ranges - 1] = 0;
    Region found;
    {
        MutexLock lock(g_trace_mutex);
        if (const Region *region = find_region(token)) found = *region;
    }
    if (found.stream == 0) return; // of an earlier trace
    recorder::UsedStream used[recorder::kMostUsed];
    uint64_t beyond = 0;
    const size_t count = thread.callback_depth == 0 ? recorder::streams_used(thread, used, &beyond) : 0;
    bool elsewhere = count != 0;
    for (size_t i = 0; i < count; ++i) {
        if (used[i].stream == found.stream)
            elsewhere = false;
        else
            add_region(thread, found, used[i]);
    }
    for (; beyond != 0; --beyond) leave_out();
    uint64_t stream = 0, event = 0;
    const bool done =
        !elsewhere && thread.callback_depth == 0 && record_edge(thread, found.stream, &stream, &event).ok();
    {
        MutexLock lock(g_trace_mutex);
        if (Region *region = find_region(token)) {
            region->end = event;
            region->failed = !done;
            region->elsewhere = elsewhere;
            return;
        }
    }
    if (event != 0) release_event(thread, event).ignore(); // the trace ended in between
}

namespace {

Status time_of(ThreadBlock &thread, uint64_t handle, HostTime *out) noexcept {
    CallMark mark(thread);
    EventSlot *event = nullptr;
    GS_TRY(required_event(thread, handle, &event));
    return event_time(thread, *event, out);
}

Device *device_of_event(ThreadBlock &thread, uint64_t handle) noexcept {
    CallMark mark(thread);
    const EventSlot *event = find_event(thread, handle);
    // As model first_record_is_seen_whole.
    return event ? event->device.load(std::memory_order_acquire) : nullptr;
}

// Compares each device's clock once.
class Clocks {
public:
    Status compare(ThreadBlock &thread, Device &device) noexcept {
        if (compared_[device.index]) return kOk;
        int64_t error_ns = 0;
        GS_TRY(calibrate_device(thread, device, &error_ns));
        compared_[device.index] = true;
        return kOk;
    }

private:
    bool compared_[kMaxDevices] = {};
};

// NOT_READY: the work is not done.
Status resolve(ThreadBlock &thread, Clocks &clocks, const Region &region, TimedRegion *out) noexcept {
    HostTime from{}, until{};
    from.ns = region.from_ns;
    Device *device = device_of_event(thread, region.end);
    if (!device) return Status{GS_ERROR_INVALID_HANDLE};
    GS_TRY(clocks.compare(thread, *device));
    if (region.begin != 0) GS_TRY(time_of(thread, region.begin, &from));
    GS_TRY(time_of(thread, region.end, &until));
    *out = {region.stream, static_cast<uint32_t>(device->index) + 1, from.ns, until.ns, until.error_ns, region.name,
            region.thread};
    return kOk;
}

// Work does not begin before what the stream got earlier has ended. A range around others begins as the first one of them.
class Ends {
public:
    int64_t begin_of(const TimedRegion &region) {
        std::vector<TimedRegion> &before = of_[region.stream];
        int64_t from = region.from_ns;
        for (auto one = before.rbegin(); one != before.rend(); ++one) {
            if (one->from_ns >= region.from_ns) continue;
            from = std::min(std::max(from, one->until_ns), region.until_ns);
            break;
        }
        before.push_back(region);
        return from;
    }

private:
    std::map<uint64_t, std::vector<TimedRegion>> of_; // in the order of their ends
};

} // namespace

Regions resolve_regions(ThreadBlock &thread) {
    Regions result;
    std::vector<Region> all;
    guard_tool_locks();
    {
        MutexLock lock(g_trace_mutex);
        if (g_regions) all.assign(g_regions, g_regions + g_region_count);
        result.not_timed = g_regions_left_out;
    }
    Clocks clocks;
    Ends ends;
    for (const Region &region : all) {
        if (region.elsewhere) continue;
        TimedRegion timed{};
        const Status status = region.failed     ? Status{GS_ERROR_INVALID_HANDLE}
                              : region.end == 0 ? Status{GS_NOT_READY}
                                                : resolve(thread, clocks, region, &timed);
        if (status.ok()) {
            const int64_t from_ns = ends.begin_of(timed);
            if (region.begin == 0) timed.from_ns = from_ns;
            result.timed.push_back(timed);
        } else {
            ++(status.code == GS_NOT_READY ? result.pending : result.not_timed);
        }
    }
    return result;
}

} // namespace gs::trace
