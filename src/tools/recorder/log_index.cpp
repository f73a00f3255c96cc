// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/wait_chain.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <compare>
#include <new>
#include <utility>

#include "base/sort.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kBytesOfEntry = sizeof(LogEntry) + 4 * sizeof(uint32_t);

bool is_wait(LogCall call) noexcept {
    return call == LogCall::Wait || call == LogCall::WaitStream || call == LogCall::WaitTimeline ||
           call == LogCall::WaitWord;
}

bool is_about_object(LogCall call) noexcept {
    return call == LogCall::Record || call == LogCall::SeenEvent || call == LogCall::Signal;
}

struct StreamKey {
    uint64_t stream, time_ns;
    auto operator<=>(const StreamKey &) const noexcept = default;
};
StreamKey stream_key(const LogEntry &entry) noexcept { return {entry.stream, entry.time_ns}; }

// Of one record what threads have seen comes behind it.
struct ObjectKey {
    uint64_t object, value;
    bool seen;
    uint64_t time_ns;
    auto operator<=>(const ObjectKey &) const noexcept = default;
};
ObjectKey object_key(const LogEntry &entry) noexcept {
    return {entry.object, entry.value, entry.call == LogCall::SeenEvent, entry.time_ns};
}

// The first of `count` places of which that is true; all behind it are, too.
template <typename Test>
size_t first_with(size_t count, Test &&test) noexcept {
    size_t low = 0;
    while (count > 0) {
        const size_t half = count / 2;
        if (test(low + half)) {
            count = half;
        } else {
            low += half + 1;
            count -= half + 1;
        }
    }
    return low;
}

} // namespace

LogIndex::LogIndex(const Evidence &evidence) noexcept {
    if (!evidence.is_logging()) return;
    size_t found = 0;
    for_each_entry(evidence, [&](const LogEntry &) noexcept { ++found; });
    found = std::min<size_t>(found, kNone);
    if (found == 0) return;
    bytes_ = found * kBytesOfEntry;
    void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char *>(memory);
    entries_ = reinterpret_cast<LogEntry *>(memory_);
    by_stream_ = reinterpret_cast<Place *>(memory_ + found * sizeof(LogEntry));
    by_object_ = by_stream_ + found;
    next_wait_ = by_object_ + found;
    seen_before_ = next_wait_ + found;
    // The log may grow in between: as many entries are read as there is room for.
    for_each_entry(evidence, [&](const LogEntry &entry) noexcept {
        if (count_ == found) return;
        new (&entries_[count_]) LogEntry(entry);
        by_stream_[count_] = static_cast<Place>(count_);
        if (is_about_object(entry.call)) by_object_[objects_++] = static_cast<Place>(count_);
        ++count_;
    });
    order();
    link();
}

LogIndex::~LogIndex() {
    if (memory_) munmap(memory_, bytes_);
}

void LogIndex::order() noexcept {
    sort_elements(by_stream_, count_, [&](Place a, Place b) noexcept {
        return std::pair(stream_key(entries_[a]), a) < std::pair(stream_key(entries_[b]), b);
    });
    sort_elements(by_object_, objects_, [&](Place a, Place b) noexcept {
        return std::pair(object_key(entries_[a]), a) < std::pair(object_key(entries_[b]), b);
    });
}

void LogIndex::link() noexcept {
    for (size_t at = 0; at < count_; ++at) {
        const bool same = at > 0 && in_stream(at - 1).stream == in_stream(at).stream;
        const bool seen = in_stream(at).call == LogCall::SeenStream;
        seen_before_[at] = seen ? static_cast<Place>(at) : same ? seen_before_[at - 1] : kNone;
    }
    for (size_t at = count_; at-- > 0;) {
        const bool same = at + 1 < count_ && in_stream(at + 1).stream == in_stream(at).stream;
        next_wait_[at] = is_wait(in_stream(at).call) ? static_cast<Place>(at) : same ? next_wait_[at + 1] : kNone;
    }
}

LogIndex::Range LogIndex::of_stream(uint64_t stream) const noexcept {
    return {first_with(count_, [&](size_t at) { return in_stream(at).stream >= stream; }),
            first_with(count_, [&](size_t at) { return in_stream(at).stream > stream; })};
}

size_t LogIndex::newest(uint64_t stream, const LogEntry **out, size_t capacity) const noexcept {
    const Range range = of_stream(stream);
    const size_t count = std::min(capacity, range.end - range.first);
    for (size_t i = 0; i < count; ++i) out[i] = &in_stream(range.end - 1 - i);
    return count;
}

const LogEntry *LogIndex::first_wait(uint64_t stream, uint64_t after, uint64_t before) const noexcept {
    const StreamKey key{stream, after};
    const size_t at = first_with(count_, [&](size_t one) { return stream_key(in_stream(one)) > key; });
    if (at == count_ || in_stream(at).stream != stream || next_wait_[at] == kNone) return nullptr;
    const LogEntry &wait = in_stream(next_wait_[at]);
    return wait.time_ns < before ? &wait : nullptr;
}

uint64_t LogIndex::seen_idle(uint64_t stream) const noexcept {
    const Range range = of_stream(stream);
    const Place seen = range.first == range.end ? kNone : seen_before_[range.end - 1];
    return seen == kNone ? 0 : in_stream(seen).time_ns;
}

const LogEntry *LogIndex::record_of(uint64_t event, uint64_t word, bool *out_seen) const noexcept {
    const ObjectKey key{event, word, true, 0};
    const size_t end = first_with(objects_, [&](size_t one) { return object_key(of_object(one)) >= key; });
    const auto names = [&](const LogEntry &entry) { return entry.object == event && entry.value == word; };
    *out_seen = end < objects_ && names(of_object(end));
    const LogEntry *record = end > 0 ? &of_object(end - 1) : nullptr;
    return record && names(*record) && record->call == LogCall::Record ? record : nullptr;
}

const LogEntry *LogIndex::signal_of(uint64_t timeline, uint64_t value) const noexcept {
    const ObjectKey key{timeline, value, false, 0};
    const size_t at = first_with(objects_, [&](size_t one) { return object_key(of_object(one)) >= key; });
    const LogEntry *signal = at < objects_ ? &of_object(at) : nullptr;
    return signal && signal->object == timeline && signal->call == LogCall::Signal ? signal : nullptr;
}

} // namespace gs::recorder
