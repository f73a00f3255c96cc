// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/order.hpp"

#include <cstdarg>
#include <cstdio>
#include <new>

#include "core/timeline/timeline_slot.hpp"

namespace gs {

std::atomic<uint32_t> g_unmet_waits{0};

namespace {

struct OrderNote {
    uint64_t number = 0; // in the order of submission; a note's place in its stream
    uint64_t stream = 0;
    TimelineName timeline{};
    uint64_t value = 0;
    uint64_t visit = 0; // of signals: the search that has been here
    OrderNote *next = nullptr;
};

constexpr size_t kLists = 64;

Mutex g_order_mutex;
OrderNote *g_waits[kLists] GS_GUARDED_BY(g_order_mutex) = {};   // by stream
OrderNote *g_signals[kLists] GS_GUARDED_BY(g_order_mutex) = {}; // by timeline and value
OrderNote *g_spare_notes GS_GUARDED_BY(g_order_mutex) = nullptr;
uint64_t g_last_note GS_GUARDED_BY(g_order_mutex) = 0;
uint64_t g_last_search GS_GUARDED_BY(g_order_mutex) = 0;

size_t mixed_key(uint64_t key) noexcept { return (key * 0x9E3779B97F4A7C15u) >> 58; }
size_t list_of_stream(uint64_t stream) noexcept { return mixed_key(stream); }
size_t list_of_signal(TimelineName timeline, uint64_t value) noexcept {
    return mixed_key(timeline.handle ^ value << 20);
}
static_assert(kLists == 64, "mixed_key() returns six bits");

bool is_note_met(const OrderNote &note) noexcept {
    TimelineSlot &slot = *note.timeline.slot;
    return slot.handle.load(std::memory_order_acquire) != note.timeline.handle ||
           slot.aborted.load(std::memory_order_acquire) != GS_OK || has_reached(slot, note.value);
}

bool same_timeline(TimelineName a, TimelineName b) noexcept { return a.handle == b.handle; }

void recycle_note(OrderNote &note) noexcept GS_REQUIRES(g_order_mutex) {
    note.next = g_spare_notes;
    g_spare_notes = &note;
}

// Drops the notes of a list that no longer matter.
void prune_notes(OrderNote *&list, bool waits) noexcept GS_REQUIRES(g_order_mutex) {
    for (OrderNote **place = &list; OrderNote *note = *place;) {
        if (!is_note_met(*note)) {
            place = &note->next;
            continue;
        }
        *place = note->next;
        recycle_note(*note);
        if (waits) g_unmet_waits.fetch_sub(1, std::memory_order_relaxed);
    }
}

OrderNote *new_note() noexcept GS_REQUIRES(g_order_mutex) {
    OrderNote *note = g_spare_notes;
    if (note)
        g_spare_notes = note->next;
    else
        note = new (std::nothrow) OrderNote;
    return note;
}

Status no_memory_for_note() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a wait of a timeline"); }

// One step of a circle: the wait, and whose signal it waits for.
struct CircleLink {
    const OrderNote *wait;
    const CircleLink *before;
};

class CircleText {
public:
    void add(const char *format, ...) noexcept __attribute__((format(printf, 2, 3))) {
        if (used_ >= sizeof text_) return;
        va_list arguments;
        va_start(arguments, format);
        const int added = std::vsnprintf(text_ + used_, sizeof text_ - used_, format, arguments);
        va_end(arguments);
        if (added > 0) used_ += static_cast<size_t>(added);
    }
    const char *get() const noexcept { return text_; }

private:
    char text_[400] = "";
    size_t used_ = 0;
};

using OrderNumber = unsigned long long;

// The waits from the new signal's own stream to the one that only the new signal meets.
void describe_circle(const CircleLink *link, CircleText &text) noexcept {
    if (!link) return;
    describe_circle(link->before, text);
    text.add("%sstream %#llx waits for timeline %#llx to reach %llu", link->before ? ", signalled behind which " : "",
             static_cast<OrderNumber>(link->wait->stream), static_cast<OrderNumber>(link->wait->timeline.handle),
             static_cast<OrderNumber>(link->wait->value));
}

class CircleSearch {
public:
    CircleSearch(uint64_t stream, TimelineName timeline, uint64_t value) noexcept GS_REQUIRES(g_order_mutex)
        : stream_(stream), timeline_(timeline), value_(value), search_(++g_last_search) {}

    // Does what the stream has submitted before that number wait for the new signal?
    bool waits(uint64_t stream, uint64_t before, const CircleLink *link) noexcept GS_REQUIRES(g_order_mutex) {
        for (const OrderNote *wait = g_waits[list_of_stream(stream)]; wait; wait = wait->next) {
            if (wait->stream != stream || wait->number >= before || is_note_met(*wait)) continue;
            const CircleLink here{wait, link};
            if (is_for(*wait)) {
                describe_circle(&here, text_);
                return true;
            }
            OrderNote *signal = signal_for(*wait);
            if (!signal || signal->visit == search_) continue;
            signal->visit = search_;
            if (waits(signal->stream, signal->number, &here)) return true;
        }
        return false;
    }
    const char *text() const noexcept { return text_.get(); }

private:
    // Other values of the timeline may still be signalled by the host, but not before this one if the stream is the same.
    bool is_for(const OrderNote &wait) const noexcept {
        if (!same_timeline(wait.timeline, timeline_)) return false;
        return wait.value == value_ || (wait.stream == stream_ && wait.value > value_);
    }
    static OrderNote *signal_for(const OrderNote &wait) noexcept GS_REQUIRES(g_order_mutex) {
        OrderNote *signal = g_signals[list_of_signal(wait.timeline, wait.value)];
        while (signal && (!same_timeline(signal->timeline, wait.timeline) || signal->value != wait.value))
            signal = signal->next;
        return signal;
    }

    const uint64_t stream_;
    const TimelineName timeline_;
    const uint64_t value_;
    const uint64_t search_;
    CircleText text_;
};

bool unlink_note(OrderNote *&list, uint64_t number) noexcept GS_REQUIRES(g_order_mutex) {
    for (OrderNote **place = &list; OrderNote *note = *place; place = &note->next) {
        if (note->number != number) continue;
        *place = note->next;
        recycle_note(*note);
        return true;
    }
    return false;
}

} // namespace

Status note_wait(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept {
    MutexLock lock(g_order_mutex);
    OrderNote *&list = g_waits[list_of_stream(stream)];
    prune_notes(list, true);
    OrderNote *note = new_note();
    if (!note) return no_memory_for_note();
    *note = {++g_last_note, stream, timeline, value, 0, list};
    list = note;
    g_unmet_waits.fetch_add(1, std::memory_order_relaxed);
    *out_number = note->number;
    return kOk;
}

Status note_signal_behind(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept {
    MutexLock lock(g_order_mutex);
    OrderNote *&waits = g_waits[list_of_stream(stream)];
    prune_notes(waits, true);
    bool behind = false;
    for (const OrderNote *wait = waits; wait && !behind; wait = wait->next) behind = wait->stream == stream;
    if (!behind) return kOk;
    CircleSearch search(stream, timeline, value);
    if (search.waits(stream, UINT64_MAX, nullptr))
        return fail(GS_ERROR_DEADLOCK, "%s, which only this signal would meet: it would be submitted behind them",
                    search.text());
    OrderNote *&list = g_signals[list_of_signal(timeline, value)];
    prune_notes(list, false);
    OrderNote *note = new_note();
    if (!note) return no_memory_for_note();
    *note = {++g_last_note, stream, timeline, value, 0, list};
    list = note;
    *out_number = note->number;
    return kOk;
}

void take_back(uint64_t number) noexcept {
    if (number == 0) return;
    MutexLock lock(g_order_mutex);
    for (size_t i = 0; i < kLists; ++i) {
        if (unlink_note(g_waits[i], number)) {
            g_unmet_waits.fetch_sub(1, std::memory_order_relaxed);
            return;
        }
        if (unlink_note(g_signals[i], number)) return;
    }
}

void pass_searches() noexcept { MutexLock lock(g_order_mutex); }

uint64_t find_waited_value(uint64_t stream, TimelineName timeline) noexcept {
    MutexLock lock(g_order_mutex);
    uint64_t highest = 0;
    for (const OrderNote *wait = g_waits[list_of_stream(stream)]; wait; wait = wait->next)
        if (wait->stream == stream && same_timeline(wait->timeline, timeline) && wait->value > highest)
            highest = wait->value;
    return highest;
}

} // namespace gs
