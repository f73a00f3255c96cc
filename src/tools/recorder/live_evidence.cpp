// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/evidence.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "core/open_ranges.hpp"
#include "core/slots.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "tools/recorder/event_log.hpp"

namespace gs::recorder {
namespace {

// The object, or nullptr. It may end at any moment: slots stay, and what is read of them is atomic.
template <typename Slots>
auto *slot_now(Slots &slots, uint64_t handle) noexcept {
    auto *slot = slots.at(handle_index(handle));
    return slot && handle != 0 && slot->handle.load(std::memory_order_relaxed) == handle ? slot : nullptr;
}

void visit_ranges(const OpenRanges &ranges, RangeVisit visit, void *context) noexcept {
    const uint64_t open = ranges.open();
    for (uint32_t depth = 0; depth < std::min<uint64_t>(open, OpenRanges::kNamed); ++depth) {
        OpenRange range{ranges.thread(), depth, open, {"..."}};
        char name[kNameBytes];
        if (ranges.read(depth, name)) make_printable_name(name, range.name.text); // else the next dump has it
        visit(context, range);
    }
}

class LiveEvidence final : public Evidence {
public:
    uint64_t log_entries() const noexcept override { return recorder::log_entries(); }
    void visit_log(LogVisit visit, void *context) const noexcept override { recorder::visit_log(visit, context); }
    void visit_streams(StreamVisit visit, void *context) const noexcept override {
        for (uint32_t index = 1; const StreamSlot *slot = stream_slots().at(index); ++index)
            if (const uint64_t handle = slot->handle.load(std::memory_order_relaxed)) visit(context, handle);
    }
    void visit_open_ranges(RangeVisit visit, void *context) const noexcept override {
        for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
            if (!thread->in_use.load(std::memory_order_relaxed)) continue;
            // As model first_record_is_seen_whole.
            if (const OpenRanges *ranges = thread->ranges.load(std::memory_order_acquire))
                visit_ranges(*ranges, visit, context);
        }
    }
    NameText name(uint64_t handle) const noexcept override { return name_of_object(handle); }
    uint64_t now_ns() const noexcept override { return monotonic_ns(); }

    bool last_wait(uint64_t stream, LogEntry *out) const noexcept override {
        const StreamSlot *slot = slot_now(stream_slots(), stream);
        const uint64_t object = slot ? slot->last_wait.load(std::memory_order_relaxed) : 0;
        if (object == 0) return false;
        *out = {1, stream, object, 0, 0, LogCall::WaitStream};
        if (handle_kind(object) == Kind::Timeline) {
            out->call = LogCall::WaitTimeline;
            out->value = slot->last_wait_value.load(std::memory_order_relaxed);
        } else if (handle_kind(object) == Kind::Event) {
            const EventSlot *event = slot_now(event_slots(), object);
            if (!event) return false;
            out->call = LogCall::Wait;
            out->value = event->word.load(std::memory_order_relaxed);
        }
        return true;
    }
    uint64_t recorder_of(uint64_t word) const noexcept override {
        const uint32_t uid = word_stream(word);
        if (uid == kUnknownStream) return 0;
        for (uint32_t index = 1;; ++index) {
            const StreamSlot *slot = stream_slots().at(index);
            if (!slot) return 0;
            const uint64_t handle = slot->handle.load(std::memory_order_relaxed);
            if (handle != 0 && slot->uid == uid) return handle;
        }
    }
    bool is_complete(const LogEntry &wait) const noexcept override {
        const EventSlot *event = slot_now(event_slots(), wait.object);
        return word_stream(wait.value) == kNeverRecorded ||
               (event && event->complete.load(std::memory_order_relaxed) == word_ticket(wait.value));
    }
    // A timeline that has ended or was aborted lets all its waits through, but for a semaphore of another API.
    Met has_reached(const LogEntry &wait, uint64_t *out_value) const noexcept override {
        TimelineSlot *slot = find_timeline_slot(wait.object);
        if (!slot) return Met::Yes;
        if (is_semaphore(*slot)) return Met::Unknown;
        const bool is_whole = !is_signal_first(*slot); // else the value may be larger: the driver is not asked
        const uint64_t known = current_value(*slot);
        if (is_whole) *out_value = known;
        if (slot->aborted.load(std::memory_order_relaxed) != GS_OK || known >= wait.value) return Met::Yes;
        return is_whole ? Met::No : Met::Unknown;
    }
};
constinit const LiveEvidence g_live_evidence;

} // namespace

const Evidence &live_evidence() noexcept { return g_live_evidence; }

} // namespace gs::recorder
