// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/dump.hpp"

#include <unistd.h>

#include <atomic>
#include <new>

#include "tools/recorder/core_file.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/sync_sites.hpp"
#include "tools/recorder/wait_chain.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kShown = 4; // operations of each stream

void write_entry(TextSink &out, const Evidence &evidence, const LogEntry &entry, uint64_t now) noexcept {
    const NameText name = evidence.name(entry.object);
    out << "    ";
    out.thousandths(now > entry.time_ns ? (now - entry.time_ns) / 1000 : 0) << " ms ago, ";
    out << "thread " << entry.thread << ": " << text_of(entry.call);
    switch (entry.call) {
    case LogCall::Record:
    case LogCall::Wait: out.object(" event", entry.object, name); break;
    case LogCall::WaitStream: out.object(" stream", entry.object, name); break;
    case LogCall::Launch: out.object(" executable graph", entry.object, name); break;
    case LogCall::Signal:
    case LogCall::WaitTimeline: out.object(" timeline", entry.object, name) << " at " << entry.value; break;
    case LogCall::Copy:
    case LogCall::Fill:
    case LogCall::Allocate: out << " " << entry.value << " bytes"; break;
    default: break;
    }
    out << "\n";
}

// Most streams wait for no other: unless it is asked for, a line that says so is left out.
enum class IfNothing { LeaveOut, SaySo };

// What all streams of a dump are described by.
struct Sources {
    explicit Sources(const Evidence &of) noexcept : evidence(of), log(of), now(of.now_ns()) {}

    const Evidence &evidence;
    const LogIndex log;
    const uint64_t now; // after all entries that were read; one for all streams, so that their ages can be compared
};

void write_stream(TextSink &out, const Sources &sources, uint64_t handle, IfNothing if_nothing,
                  WaitChain::Work &work) noexcept {
    const Evidence &evidence = sources.evidence;
    const LogEntry *newest[kShown];
    const size_t count = sources.log.newest(handle, newest, kShown);
    const WaitChain chain(evidence, sources.log, handle, work);
    const bool nothing = chain.found() == WaitChain::Found::Nothing && count == 0;
    if (nothing && if_nothing == IfNothing::LeaveOut) return;
    out.object("stream", handle, evidence.name(handle)) << " ";
    chain.write(out);
    out << "\n";
    for (size_t i = 0; i < count; ++i) write_entry(out, evidence, *newest[i], sources.now);
}

alignas(WaitChain::Work) char g_work[sizeof(WaitChain::Work)]; // not an object: the file would have its first values
std::atomic<bool> g_work_is_used{false};

[[gnu::noinline]] void write_stream_beside(TextSink &out, const Sources &sources, uint64_t handle,
                                           IfNothing if_nothing) noexcept {
    WaitChain::Work own;
    write_stream(out, sources, handle, if_nothing, own);
}

// Two threads that write dumps at once, or one that is interrupted by a dump, are rare: the second one has it on its stack.
void write_stream(TextSink &out, const Sources &sources, uint64_t handle, IfNothing if_nothing) noexcept {
    // Both hand over plain memory, as the record does in model first_record_is_seen_whole.
    if (g_work_is_used.exchange(true, std::memory_order_acquire))
        return write_stream_beside(out, sources, handle, if_nothing);
    write_stream(out, sources, handle, if_nothing, *::new (static_cast<void *>(g_work)) WaitChain::Work);
    g_work_is_used.store(false, std::memory_order_release); // as above, model first_record_is_seen_whole
}

// thread 4711 is in "step" > "upload" and 2 more ranges
void write_open_ranges(TextSink &out, const Evidence &evidence) noexcept {
    for_each_open_range(evidence, [&](const OpenRange &range) noexcept {
        if (range.depth == 0) out << "thread " << range.thread << " is in ";
        out << (range.depth == 0 ? "\"" : " > \"") << range.name.text << "\"";
        if (range.depth + 1 < range.open && range.depth + 1 < kLogFileRanges) return;
        if (range.open > kLogFileRanges) out << " and " << range.open - kLogFileRanges << " more ranges";
        out << "\n";
    });
}

} // namespace

void write_streams(TextSink &out, const Evidence &evidence) noexcept {
    const Sources sources(evidence);
    for_each_stream(evidence,
                    [&](uint64_t stream) noexcept { write_stream(out, sources, stream, IfNothing::LeaveOut); });
}

Status write_dump(int fd) noexcept {
    uint64_t streams = 0;
    for_each_stream(live_evidence(), [&](uint64_t) noexcept { ++streams; });
    TextSink out(fd);
    out << "gpustream: dump of process " << static_cast<uint64_t>(getpid()) << ", log of "
        << live_evidence().log_entries() << " operations a thread, " << streams << " streams\n";
    write_streams(out, live_evidence());
    write_open_ranges(out, live_evidence());
    write_syncs(out);
    out << "gpustream: end of dump\n";
    return out.finish() ? kOk : Status{GS_ERROR_SYSTEM};
}

namespace {

Status write_file_dump(const char *path, int fd) {
    FileEvidence evidence;
    GS_TRY(evidence.read(path));
    TextSink out(fd);
    out << "gpustream: log of process " << evidence.process() << ", which "
        << (evidence.process_lives() ? "is running, " : "has ended (times are before its last operation), ")
        << evidence.log_entries() << " operations a thread\n";
    write_streams(out, evidence);
    if (evidence.streams_left_out() != 0)
        out << "and " << static_cast<uint64_t>(evidence.streams_left_out()) << " more streams\n";
    write_open_ranges(out, evidence);
    out << "gpustream: end of log\n";
    return out.finish() ? kOk : fail(GS_ERROR_SYSTEM, "the text could not be written");
}

} // namespace

Status write_log_file_dump(const char *path, int fd) noexcept {
    try {
        return write_file_dump(path, fd);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to read a log");
    }
}

size_t explain_stream(uint64_t stream, char *out, size_t capacity) noexcept {
    TextSink sink(out, capacity);
    write_stream(sink, Sources(live_evidence()), stream, IfNothing::SaySo);
    (void)sink.finish(); // memory cannot fail
    return sink.bytes() + 1;
}

} // namespace gs::recorder
