// SPDX-License-Identifier: Apache-2.0
#include "core/recorder/dump.hpp"

#include <unistd.h>

#include "base/clock.hpp"
#include "core/recorder/wait_chain.hpp"
#include "core/slots.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kShown = 4; // operations of each stream

struct Newest {
    LogEntry entries[kShown];
    size_t count = 0;

    void offer(const LogEntry &entry) noexcept {
        size_t at = count < kShown ? count++ : kShown;
        for (; at > 0 && entries[at - 1].time_ns < entry.time_ns; --at)
            if (at < kShown) entries[at] = entries[at - 1];
        if (at < kShown) entries[at] = entry;
    }
};

void write_entry(TextSink &out, const LogEntry &entry, uint64_t now) noexcept {
    out << "    ";
    out.thousandths(now > entry.time_ns ? (now - entry.time_ns) / 1000 : 0)
        << " ms ago, thread " << entry.thread << ": " << text_of(entry.call);
    switch (entry.call) {
    case LogCall::Record:
    case LogCall::Wait: out.object(" event", entry.object); break;
    case LogCall::WaitStream: out.object(" stream", entry.object); break;
    case LogCall::Signal:
    case LogCall::WaitTimeline: out.object(" timeline", entry.object) << " at " << entry.value; break;
    case LogCall::Copy:
    case LogCall::Fill:
    case LogCall::Allocate: out << " " << entry.value << " bytes"; break;
    default: break;
    }
    out << "\n";
}

void write_stream(TextSink &out, uint64_t handle) noexcept {
    Newest newest;
    for_each_entry([&](const LogEntry &entry) noexcept {
        if (entry.stream == handle) newest.offer(entry);
    });
    const WaitChain chain(handle);
    if (chain.found() == WaitChain::Found::Nothing && newest.count == 0) return;
    out.object("stream", handle) << " ";
    chain.write(out);
    out << "\n";
    const uint64_t now = monotonic_ns(); // after all entries that were read
    for (size_t i = 0; i < newest.count; ++i) write_entry(out, newest.entries[i], now);
}

} // namespace

Status write_dump(int fd) noexcept {
    TextSink out(fd);
    out << "gpustream: dump of process " << static_cast<uint64_t>(getpid()) << ", log of " << log_entries()
        << " operations a thread\n";
    for (uint32_t index = 1; const StreamSlot *slot = stream_slots().at(index); ++index)
        if (const uint64_t handle = slot->handle.load(std::memory_order_relaxed)) write_stream(out, handle);
    out << "gpustream: end of dump\n";
    return out.finish() ? kOk : Status{GS_ERROR_SYSTEM};
}

} // namespace gs::recorder
