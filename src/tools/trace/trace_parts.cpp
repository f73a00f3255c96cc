// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/sort.hpp"

namespace gs::trace {
namespace {

using recorder::LogCall;
using recorder::LogEntry;

constexpr int64_t kShown = 1000; // ns: what a moment is drawn as, where there is room

class Maker {
public:
    Maker(const Snapshot &snapshot, const Regions &regions) : snapshot_(snapshot), regions_(regions) {}

    Parts make() {
        for (const LogEntry &entry : snapshot_.entries) add(entry);
        for (auto &[thread, open] : open_)
            for (const uint32_t range : open) end_range(range, static_cast<int64_t>(snapshot_.until_ns), true);
        add_regions();
        give_lengths();
        nest();
        return std::move(parts_);
    }

private:
    void add(const LogEntry &entry) {
        switch (entry.call) {
        case LogCall::RangePush: open_[entry.thread].push_back(on_thread(entry, Span::Kind::Range)); break;
        case LogCall::RangePop: pop(entry); break;
        case LogCall::RangeStart: on_thread(entry, Span::Kind::AnyThreadBegin); break;
        case LogCall::RangeEnd: on_thread(entry, Span::Kind::AnyThreadEnd); break;
        case LogCall::Mark: on_thread(entry, Span::Kind::Mark); break;
        case LogCall::SeenEvent:
        case LogCall::SeenStream:
        case LogCall::SeenTimeline: on_thread(entry, Span::Kind::Operation); break;
        case LogCall::HostSignal:
            signals_[{entry.object, entry.value}] = on_thread(entry, Span::Kind::Operation);
            break;
        case LogCall::Signal: signals_[{entry.object, entry.value}] = on_stream(entry, Span::Kind::Operation); break;
        case LogCall::Record: records_[{entry.object, entry.value}] = on_stream(entry, Span::Kind::Operation); break;
        case LogCall::Wait: {
            const uint32_t wait = on_stream(entry, Span::Kind::Wait);
            const auto record = records_.find({entry.object, entry.value});
            if (record != records_.end()) parts_.spans[wait].after = record->second;
            break;
        }
        case LogCall::WaitStream: {
            const uint32_t wait = on_stream(entry, Span::Kind::Wait);
            LogEntry other = entry; // what the other stream has at this moment
            other.stream = entry.object;
            other.device = entry.other_device;
            const uint32_t point = on_stream(other, Span::Kind::Operation);
            parts_.spans[point].object = entry.stream;
            parts_.spans[wait].after = point;
            break;
        }
        case LogCall::WaitTimeline: waits_for_timelines_.push_back(on_stream(entry, Span::Kind::Wait)); break;
        default: on_stream(entry, Span::Kind::Operation); break;
        }
    }

    uint32_t add_span(const LogEntry &entry, Span::Kind kind, uint32_t lane) {
        Span span;
        span.kind = kind;
        span.call = entry.call;
        span.lane = lane;
        span.thread = entry.thread;
        span.from_ns = span.until_ns = static_cast<int64_t>(entry.time_ns);
        span.object = entry.object;
        span.value = entry.value;
        if (kind != Span::Kind::Operation && kind != Span::Kind::Wait) span.name = static_cast<uint32_t>(entry.value);
        parts_.spans.push_back(span);
        return static_cast<uint32_t>(parts_.spans.size() - 1);
    }
    uint32_t on_thread(const LogEntry &entry, Span::Kind kind) {
        return add_span(entry, kind, lane_of_thread(entry.thread));
    }
    uint32_t on_stream(const LogEntry &entry, Span::Kind kind) {
        return add_span(entry, kind, lane_of_stream(entry.stream, entry.device));
    }

    uint32_t lane_of_thread(uint32_t thread) {
        const auto [found, is_new] = thread_lanes_.try_emplace(thread, parts_.lanes.size());
        if (is_new) parts_.lanes.push_back({kHost, thread, 0});
        return found->second;
    }
    // Numbers are given in the order of the first operations, so that they are small and no two streams share one.
    uint32_t lane_of_stream(uint64_t handle, uint32_t device) {
        const auto [found, is_new] = stream_lanes_.try_emplace(handle, parts_.lanes.size());
        if (is_new) {
            const StreamPlace place = place_of_stream(handle, device);
            parts_.lanes.push_back({place.device, place.is_default ? 0 : ++streams_, handle});
        }
        return found->second;
    }

    void pop(const LogEntry &entry) {
        std::vector<uint32_t> &open = open_[entry.thread];
        if (open.empty()) return; // it began before the trace, or its beginning was dropped
        end_range(open.back(), static_cast<int64_t>(entry.time_ns), false);
        open.pop_back();
    }
    void end_range(uint32_t range, int64_t until_ns, bool is_open) {
        parts_.spans[range].until_ns = until_ns;
        parts_.spans[range].is_open = is_open;
    }

    void add_regions() {
        for (const TimedRegion &region : regions_.timed) {
            Span span;
            span.kind = Span::Kind::Region;
            span.lane = lane_of_stream(region.stream, region.device);
            span.name = region.name;
            span.thread = region.thread;
            span.from_ns = region.from_ns;
            span.until_ns = std::max(region.until_ns, region.from_ns);
            span.error_ns = region.error_ns;
            parts_.spans.push_back(span);
        }
        for (const uint32_t wait : waits_for_timelines_) {
            Span &span = parts_.spans[wait];
            const auto signal = signals_.lower_bound({span.object, span.value});
            if (signal != signals_.end() && signal->first.first == span.object) span.after = signal->second;
        }
    }

    static bool has_length(const Span &span) {
        return span.kind == Span::Kind::Range || span.kind == Span::Kind::Region;
    }

    // A moment is drawn until the next thing on its lane at most: what overlaps without being nested is not shown.
    void give_lengths() {
        std::vector<std::pair<uint32_t, int64_t>> edges;
        for (const Span &span : parts_.spans) {
            edges.emplace_back(span.lane, span.from_ns);
            if (has_length(span)) edges.emplace_back(span.lane, span.until_ns);
        }
        sort_elements(edges.data(), edges.size());
        for (Span &span : parts_.spans) {
            if (has_length(span)) continue;
            span.until_ns = span.from_ns + kShown;
            const auto next = std::upper_bound(edges.begin(), edges.end(), std::pair(span.lane, span.from_ns));
            if (next != edges.end() && next->first == span.lane) span.until_ns = std::min(span.until_ns, next->second);
        }
    }

    // Regions of two threads in one stream may overlap: the one that begins later then ends with the other.
    void nest() {
        std::vector<uint32_t> order;
        for (uint32_t i = 0; i < parts_.spans.size(); ++i)
            if (has_length(parts_.spans[i])) order.push_back(i);
        sort_elements(order.data(), order.size(), [this](uint32_t a, uint32_t b) {
            const Span &one = parts_.spans[a], &other = parts_.spans[b];
            if (one.lane != other.lane) return one.lane < other.lane;
            if (one.from_ns != other.from_ns) return one.from_ns < other.from_ns;
            if (one.until_ns != other.until_ns) return one.until_ns > other.until_ns;
            return a < b;
        });
        std::vector<uint32_t> around;
        for (const uint32_t i : order) {
            Span &span = parts_.spans[i];
            while (!around.empty() && (parts_.spans[around.back()].lane != span.lane ||
                                       parts_.spans[around.back()].until_ns <= span.from_ns))
                around.pop_back();
            if (!around.empty()) span.until_ns = std::min(span.until_ns, parts_.spans[around.back()].until_ns);
            around.push_back(i);
        }
    }

    const Snapshot &snapshot_;
    const Regions &regions_;
    Parts parts_;
    uint64_t streams_ = 0;
    std::map<uint32_t, uint32_t> thread_lanes_;
    std::map<uint64_t, uint32_t> stream_lanes_;
    std::map<uint32_t, std::vector<uint32_t>> open_;            // ranges of each thread
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> records_; // by event and record
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> signals_; // by timeline and value
    std::vector<uint32_t> waits_for_timelines_;
};

} // namespace

Parts make_parts(const Snapshot &snapshot, const Regions &regions) { return Maker(snapshot, regions).make(); }

} // namespace gs::trace
