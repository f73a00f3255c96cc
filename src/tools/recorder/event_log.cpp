// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/event_log.hpp"

#include "base/log.hpp"
#include "core/open_ranges.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::recorder {

std::atomic<uint64_t> g_log_entries{0};

namespace {

std::atomic<bool> g_log_short_of_memory{false};

// A trace may want a larger ring than the thread has. Sizes are powers of two, so those that were replaced are smaller together
// than the one in use.
LogRing *ring_of(ThreadBlock &thread) noexcept {
    LogRing *present = thread.log.load(std::memory_order_relaxed);
    const uint64_t wanted = log_entries(); // 0: the trace that turned the log on has just been stopped
    if (wanted == 0 || (present && present->size() >= wanted)) return present;
    LogFilePart part{};
    if (!present && (present = LogRing::in_file(part = add_ring_to_file()))) {
        keep_ranges_in(thread, part.ranges);
        // Publishes plain memory, as the record does in model first_record_is_seen_whole.
        thread.log.store(present, std::memory_order_release);
        if (present->size() >= wanted) return present;
    }
    LogRing *ring = LogRing::create(wanted);
    if (!ring) {
        if (!g_log_short_of_memory.exchange(true, std::memory_order_relaxed))
            log_message(GS_LOG_WARNING, "no memory for the log of a thread: what it does is lost");
        return present;
    }
    ring->replace(present);
    // Publishes plain memory, as the record does in model first_record_is_seen_whole.
    thread.log.store(ring, std::memory_order_release);
    return ring;
}

} // namespace

void start_log(uint64_t entries) noexcept { g_log_entries.store(entries, std::memory_order_relaxed); }

LogRing *new_log_ring(ThreadBlock &thread) noexcept { return ring_of(thread); }

const LogRing *ring_of_thread(const ThreadBlock &thread) noexcept {
    return thread.log.load(std::memory_order_acquire); // as model first_record_is_seen_whole
}

void visit_log(LogVisit visit, void *context) noexcept {
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        const LogRing *ring = ring_of_thread(*thread);
        LogEntry entry;
        for (uint64_t at = 0; ring && at < ring->size(); ++at)
            if (ring->read(at, &entry)) visit(context, entry);
    }
}

const char *text_of(LogCall call) noexcept {
    switch (call) {
    case LogCall::Record: return "records";
    case LogCall::Wait: return "waits for";
    case LogCall::WaitStream: return "waits for";
    case LogCall::Submit: return "work";
    case LogCall::Launch: return "launches";
    case LogCall::HostFunction: return "a host function";
    case LogCall::Signal: return "signals";
    case LogCall::WaitTimeline: return "waits for";
    case LogCall::WaitWord: return "waits for a word of memory";
    case LogCall::Copy: return "copies";
    case LogCall::Fill: return "fills";
    case LogCall::Allocate: return "allocates";
    case LogCall::Free: return "frees";
    case LogCall::SeenEvent: return "the thread has seen complete";
    case LogCall::SeenStream: return "the thread has seen it idle";
    case LogCall::SeenTimeline: return "the thread has seen";
    case LogCall::HostSignal: return "the thread signals";
    case LogCall::RangePush: return "the thread begins the range";
    case LogCall::RangePop: return "the thread ends its range";
    case LogCall::RangeStart: return "the thread starts the range";
    case LogCall::RangeEnd: return "the thread ends a range";
    case LogCall::Mark: return "the thread marks";
    case LogCall::RanFrom: return "the device began";
    case LogCall::RanUntil: return "the device ended";
    }
    return "?"; // an entry of a later version cannot be here
}

namespace {

bool is_work(LogCall call) noexcept {
    return call == LogCall::Submit || call == LogCall::Launch || call == LogCall::HostFunction ||
           call == LogCall::Copy || call == LogCall::Fill;
}

} // namespace

size_t streams_used(const ThreadBlock &thread, UsedStream (&out)[kMostUsed], uint64_t *out_beyond) noexcept {
    size_t count = 0, inside = 0;
    const LogRing *ring = ring_of_thread(thread);
    if (!ring) return 0;
    ring->newest_first([&](const LogEntry &entry) noexcept {
        if (entry.call == LogCall::RangePush && inside-- == 0) return false;
        if (entry.call == LogCall::RangePop) ++inside;
        if (!is_work(entry.call)) return true;
        size_t i = 0;
        while (i < count && out[i].stream != entry.stream) ++i;
        if (i == kMostUsed) {
            ++*out_beyond;
            return true;
        }
        if (i == count) out[count++].stream = entry.stream;
        out[i].first_ns = entry.time_ns;
        return true;
    });
    return count;
}

} // namespace gs::recorder
