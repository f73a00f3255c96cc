// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_use.hpp"

#include <compare>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <utility>

#include "core/timeline/timeline_slot.hpp"

namespace gs {

std::atomic<uint32_t> g_unmet_waits{0};

namespace {

struct OrderStream;

// Waits are ordered by stream, timeline and number, signals by timeline and value.
struct OrderKey {
    uint64_t first, second, third;
    auto operator<=>(const OrderKey &) const noexcept = default;
};

// A wait or a signal. Of the waits of one stream for one timeline the values grow with the numbers: what an earlier wait proves
// is no wait.
struct OrderNote : Ordered<OrderNote> {
    OrderStream *stream = nullptr;
    TimelineName timeline{};
    uint64_t value = 0;
    uint64_t number = 0; // in the order of submission
    bool is_signal = false;
    bool dropped = false;      // it is in no set any more
    OrderNote *next = nullptr; // of the notes, as they are looked through

    OrderKey key() const noexcept;
};

// A stream with notes, and where a search is in it.
struct OrderStream : Ordered<OrderStream> {
    uint64_t name = 0;
    uint64_t notes = 0;
    uint64_t search = 0;   // the last one that came here
    uint64_t before = 0;   // it looks at the stream's waits with smaller numbers,
    uint64_t timeline = 0; // and has looked at those for timelines with smaller handles
    const OrderNote *at =
        nullptr; // the wait behind which it has gone on; nullptr: it has not, or is through with the stream
    OrderStream *from = nullptr; // where it has come from

    uint64_t key() const noexcept { return name; }
};

OrderKey OrderNote::key() const noexcept {
    return is_signal ? OrderKey{timeline.handle, value, 0} : OrderKey{stream->name, timeline.handle, number};
}

Mutex g_order_mutex;
OrderedSet<OrderStream> g_streams GS_GUARDED_BY(g_order_mutex);
OrderedSet<OrderNote> g_waits GS_GUARDED_BY(g_order_mutex);
OrderedSet<OrderNote> g_signals GS_GUARDED_BY(g_order_mutex); // those that stand behind waits
OrderNote *g_notes GS_GUARDED_BY(g_order_mutex) = nullptr; // all, and those that were dropped; the last one is g_last
OrderNote *g_last GS_GUARDED_BY(g_order_mutex) = nullptr;
uint64_t g_last_number GS_GUARDED_BY(g_order_mutex) = 0;
uint64_t g_last_search GS_GUARDED_BY(g_order_mutex) = 0;

bool is_met(const OrderNote &note) noexcept {
    TimelineSlot &slot = *note.timeline.slot;
    return slot.handle.load(std::memory_order_acquire) != note.timeline.handle ||
           slot.aborted.load(std::memory_order_acquire) != GS_OK || has_reached(slot, note.value);
}

void append_note(OrderNote &note) noexcept GS_REQUIRES(g_order_mutex) {
    note.next = nullptr;
    (g_notes ? g_last->next : g_notes) = &note;
    g_last = &note;
}

void drop_note(OrderNote &note) noexcept GS_REQUIRES(g_order_mutex) {
    (note.is_signal ? g_signals : g_waits).erase(note);
    if (!note.is_signal) g_unmet_waits.fetch_sub(1, std::memory_order_relaxed);
    note.dropped = true;
    if (--note.stream->notes != 0) return;
    g_streams.erase(*note.stream);
    delete note.stream;
}

// Looks at the oldest note: it goes if it no longer matters, else behind the others.
void look_at_one() noexcept GS_REQUIRES(g_order_mutex) {
    OrderNote &note = *std::exchange(g_notes, g_notes->next);
    if (!note.dropped && is_met(note)) drop_note(note);
    if (note.dropped)
        delete &note;
    else
        append_note(note);
}

// Each call that may add a note looks at two old ones, so those that no longer matter go as fast as others come.
void look_at_two() noexcept GS_REQUIRES(g_order_mutex) {
    for (int looks = 0; g_notes && looks < 2; ++looks) look_at_one();
}

Status add_note(OrderNote *note, uint64_t stream_name) noexcept GS_REQUIRES(g_order_mutex) {
    OrderStream *stream = g_streams.find(stream_name);
    if (note && !stream && (stream = new (std::nothrow) OrderStream)) {
        stream->name = stream_name;
        g_streams.insert(*stream);
    }
    if (!note || !stream) {
        delete note;
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a wait of a timeline");
    }
    ++stream->notes;
    note->stream = stream;
    note->number = ++g_last_number;
    (note->is_signal ? g_signals : g_waits).insert(*note);
    if (!note->is_signal) g_unmet_waits.fetch_add(1, std::memory_order_relaxed);
    append_note(*note);
    return kOk;
}

// The wait of a stream for the timeline that is the last before a number, and so for the largest value; nullptr: all are met.
OrderNote *last_unmet(uint64_t stream, uint64_t timeline, uint64_t before) noexcept GS_REQUIRES(g_order_mutex) {
    for (;;) {
        OrderNote *wait = g_waits.last_before(OrderKey{stream, timeline, before});
        if (!wait || wait->stream->name != stream || wait->timeline.handle != timeline) return nullptr;
        if (!is_met(*wait)) return wait;
        if (wait->stream->notes == 1) return nullptr; // the stream is being looked at
        drop_note(*wait);
    }
}

// The same for the next timeline that the stream waits for.
const OrderNote *next_unmet(OrderStream &stream) noexcept GS_REQUIRES(g_order_mutex) {
    for (;;) {
        const OrderNote *some = g_waits.first_from(OrderKey{stream.name, stream.timeline, 0});
        if (!some || some->stream != &stream) return nullptr;
        const uint64_t timeline = some->timeline.handle;
        stream.timeline = timeline + 1;
        if (const OrderNote *wait = last_unmet(stream.name, timeline, stream.before)) return wait;
    }
}

// The largest signal that the wait needs, and that may not happen. Smaller ones happen before it, so it stands behind what they do.
const OrderNote *signal_for(const OrderNote &wait) noexcept GS_REQUIRES(g_order_mutex) {
    const uint64_t timeline = wait.timeline.handle;
    const OrderNote *signal = g_signals.last_before(OrderKey{timeline, wait.value, 1});
    return signal && signal->timeline.handle == timeline && !is_met(*signal) ? signal : nullptr;
}

void start_search(OrderStream &stream, uint64_t before, OrderStream *from) noexcept GS_REQUIRES(g_order_mutex) {
    stream.search = g_last_search;
    stream.before = before;
    stream.timeline = 0;
    stream.at = nullptr;
    stream.from = from;
}

// Does what the stream has submitted so far wait for the new signal? Returns the stream whose wait `at` is the one for it. A signal
// of the timeline happens before all larger ones, so each wait for the value or a larger one needs it. Waits for
// smaller values are independent of it: their signals were found to depend on no larger one when they were submitted.
OrderStream *find_circle(OrderStream &first, uint64_t timeline, uint64_t value) noexcept GS_REQUIRES(g_order_mutex) {
    ++g_last_search;
    start_search(first, UINT64_MAX, nullptr);
    for (OrderStream *stream = &first; stream;) {
        const OrderNote *wait = next_unmet(*stream);
        stream->at = wait;
        if (!wait) {
            stream = stream->from;
            continue;
        }
        if (wait->timeline.handle == timeline) {
            if (wait->value >= value) return stream;
            continue;
        }
        const OrderNote *signal = signal_for(*wait);
        if (!signal) continue;
        OrderStream &other = *signal->stream;
        if (other.search == g_last_search && (other.at || other.before >= signal->number)) continue;
        start_search(other, signal->number, stream);
        stream = &other;
    }
    return nullptr;
}

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
Status circle_found(OrderStream *last) noexcept GS_REQUIRES(g_order_mutex) {
    OrderStream *link = nullptr; // the way back, turned round
    while (last) {
        OrderStream *before = std::exchange(last->from, link);
        link = std::exchange(last, before);
    }
    CircleText text;
    for (const char *between = ""; link; link = link->from, between = ", signalled behind which ")
        text.add("%sstream %#llx waits for timeline %#llx to reach %llu", between, static_cast<OrderNumber>(link->name),
                 static_cast<OrderNumber>(link->at->timeline.handle), static_cast<OrderNumber>(link->at->value));
    return fail(GS_ERROR_DEADLOCK, "%s, which only this signal would meet: it would be submitted behind them",
                text.get());
}

} // namespace

Status note_wait(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept {
    MutexLock lock(g_order_mutex);
    look_at_two();
    *out_number = 0;
    const OrderNote *larger = last_unmet(stream, timeline.handle, UINT64_MAX);
    if (larger && larger->value >= value) return kOk;
    auto *note = new (std::nothrow) OrderNote;
    if (note) {
        note->timeline = timeline;
        note->value = value;
    }
    GS_TRY(add_note(note, stream));
    *out_number = note->number;
    return kOk;
}

void take_wait_back(uint64_t stream, TimelineName timeline, uint64_t number) noexcept {
    if (number == 0) return;
    MutexLock lock(g_order_mutex);
    if (OrderNote *note = g_waits.find(OrderKey{stream, timeline.handle, number})) drop_note(*note);
}

Status note_signal_behind(uint64_t stream, TimelineName timeline, uint64_t value, bool waited_for,
                          SignalPlace *out) noexcept {
    MutexLock lock(g_order_mutex);
    look_at_two();
    OrderStream *own = g_streams.find(stream);
    if (!own) return kOk;
    own->before = UINT64_MAX;
    own->timeline = 0;
    if (!next_unmet(*own)) return kOk;
    if (OrderStream *last = waited_for ? find_circle(*own, timeline.handle, value) : nullptr) return circle_found(last);
    const OrderNote *wait = last_unmet(stream, timeline.handle, UINT64_MAX);
    out->behind = wait ? wait->value : 0;
    auto *note = new (std::nothrow) OrderNote;
    if (note) {
        note->timeline = timeline;
        note->value = value;
        note->is_signal = true;
    }
    GS_TRY(add_note(note, stream));
    out->number = note->number;
    return kOk;
}

void take_signal_back(TimelineName timeline, uint64_t value) noexcept {
    MutexLock lock(g_order_mutex);
    if (OrderNote *note = g_signals.find(OrderKey{timeline.handle, value, 0})) drop_note(*note);
}

void forget_met_waits() noexcept {
    MutexLock lock(g_order_mutex);
    const OrderNote *const end = g_last;
    for (const OrderNote *note = nullptr; g_notes && note != end;) {
        note = g_notes;
        look_at_one();
    }
}

} // namespace gs
