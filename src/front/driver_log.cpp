// SPDX-License-Identifier: Apache-2.0
// The driver's calls in the log of tools/recorder. The number of a stream or event there is its address with the kind of a
// handle above it; a default stream has the number of its context, or of its thread.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/thread_block.hpp"
#include "core/open_ranges.hpp"
#include "core/slots.hpp"
#include "front/driver.hpp"
#include "front/pointer_table.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"
#include "handle/handle_bits.hpp"
#include "tools/recorder/event_log.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::front {
namespace {

using recorder::LogCall;

PointerTable g_records; // by event: the word of its last record, 0 for none
PointerTable g_used;    // by the log's number of a stream: 1 if it has work that no thread has seen the end of
std::atomic<uint64_t> g_tickets{1};

constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
constexpr int kErrorBits = 20; // of a span's times: up to a millisecond
constexpr uint64_t kMostError = (uint64_t{1} << kErrorBits) - 1;

uint64_t number_of(Kind kind, uint64_t address) noexcept {
    return make_handle(kind, 0, 0, 0) | (address & kAddressMask);
}

void add(ThreadBlock &thread, LogCall call, uint64_t stream, uint64_t object, uint64_t value,
         uint64_t device = 0) noexcept {
    LogRing *ring = recorder::own_log_ring(thread);
    if (!ring) return;
    ring->add(monotonic_ns(), stream, object, value,
              device << 40 | uint64_t{static_cast<uint32_t>(call)} << 32 | static_cast<uint32_t>(os_id(thread)));
}

// A new stream's name is kept for the reader of the log.
void mark_used(uint64_t stream) noexcept {
    std::atomic<uint64_t> *used = g_used.find(stream, false);
    if (!used) {
        recorder::keep_name_in_file(stream);
        used = g_used.find(stream, true);
    }
    if (used && used->load(std::memory_order_relaxed) == 0) used->store(1, std::memory_order_relaxed);
}

void add_work(ThreadBlock &thread, const Call &call, LogCall what, uint64_t object, uint64_t value) noexcept {
    const uint64_t stream = logged_stream(thread, call);
    mark_used(stream);
    add(thread, what, stream, object, value, watches(kTrace) ? logged_device() : 0);
}

void add_seen_stream(ThreadBlock &thread, uint64_t stream) noexcept {
    if (std::atomic<uint64_t> *used = g_used.find(stream, false)) used->store(0, std::memory_order_relaxed);
    add(thread, LogCall::SeenStream, stream, 0, 0);
}

// What an earlier stream of this address waited for is not this one's.
void add_new_stream(ThreadBlock &thread, uint64_t stream) noexcept {
    if (g_used.find(stream, false)) add_seen_stream(thread, stream);
}

void add_record(ThreadBlock &thread, const Call &call) noexcept {
    std::atomic<uint64_t> *word = g_records.find(call.object, true);
    if (!word) return;
    const uint64_t record = record_word(1, g_tickets.fetch_add(1, std::memory_order_relaxed));
    word->store(record, std::memory_order_relaxed);
    add_work(thread, call, LogCall::Record, number_of(Kind::Event, call.object), record);
}

uint64_t word_of(uint64_t event) noexcept {
    const std::atomic<uint64_t> *word = g_records.find(event, false);
    return word ? word->load(std::memory_order_relaxed) : 0;
}

void forget_record(uint64_t event) noexcept {
    if (std::atomic<uint64_t> *word = g_records.find(event, false)) word->store(0, std::memory_order_relaxed);
}

void add_event(ThreadBlock &thread, const Call &call) noexcept {
    const uint64_t word = word_of(call.object); // 0: nothing was recorded, or out of sight
    if (word == 0) return;
    const uint64_t event = number_of(Kind::Event, call.object);
    if (call.row->kind == DriverCall::Wait) return add_work(thread, call, LogCall::Wait, event, word);
    add(thread, LogCall::SeenEvent, 0, event, word);
}

void add_idle_context(ThreadBlock &thread) noexcept {
    g_used.for_each([&](uint64_t stream, std::atomic<uint64_t> &used) noexcept {
        if (used.load(std::memory_order_relaxed) != 0) add_seen_stream(thread, stream);
    });
}

void add_call(ThreadBlock &thread, const Call &call) noexcept {
    switch (call.row->kind) {
    case DriverCall::Kernel: return add_work(thread, call, LogCall::Submit, 0, 0);
    case DriverCall::GraphLaunch:
        return add_work(thread, call, LogCall::Launch, number_of(Kind::GraphExec, call.object), 0);
    case DriverCall::HostFunction: return add_work(thread, call, LogCall::HostFunction, 0, 0);
    case DriverCall::Record: return add_record(thread, call);
    case DriverCall::Wait:
    case DriverCall::SyncEvent:
    case DriverCall::QueryEvent: return add_event(thread, call);
    case DriverCall::WaitValue: return add_work(thread, call, LogCall::WaitWord, call.object, 0);
    case DriverCall::Write: return add_work(thread, call, LogCall::Submit, 0, 0);
    case DriverCall::Copy:
    case DriverCall::CopyNow: return add_work(thread, call, LogCall::Copy, 0, call.bytes);
    case DriverCall::Fill: return add_work(thread, call, LogCall::Fill, 0, call.bytes);
    case DriverCall::Allocate: return add_work(thread, call, LogCall::Allocate, 0, call.bytes);
    case DriverCall::Free: return add_work(thread, call, LogCall::Free, 0, 0);
    case DriverCall::SyncStream:
    case DriverCall::QueryStream: return add_seen_stream(thread, logged_stream(thread, call));
    case DriverCall::SyncContext: return add_idle_context(thread);
    case DriverCall::MakeStream: return add_new_stream(thread, number_of(Kind::Stream, call.object));
    case DriverCall::MakeEvent:
    case DriverCall::EndEvent: return forget_record(call.object);
    default: return;
    }
}

// Programs that ask in a loop would fill the log with it.
bool is_traced(DriverCall kind) noexcept {
    return watches(kTrace) && kind != DriverCall::QueryStream && kind != DriverCall::QueryEvent;
}

} // namespace

uint64_t logged_stream(ThreadBlock &thread, const Call &call) noexcept {
    const uint64_t stream = driver_stream(call);
    if (stream > 2) return number_of(Kind::Stream, stream);
    if (stream == 2) return number_of(Kind::Stream, os_id(thread) << 8 | 2);
    return number_of(Kind::Stream, reinterpret_cast<uintptr_t>(current_context()) | 1);
}

uint64_t logged_device() noexcept {
    CUdevice device = 0;
    const bool known = g_real.get_device && g_real.get_device(&device) == CUDA_SUCCESS;
    return known ? static_cast<uint64_t>(device) + 1 : 0;
}

// Of streams, a dump shows what they were given last: these are entries of no stream.
void log_times(ThreadBlock &thread, const TimedWork &work) noexcept {
    const auto error = std::min(static_cast<uint64_t>(work.error_ns), kMostError);
    add(thread, LogCall::RanFrom, 0, work.stream, static_cast<uint64_t>(work.from_ns), work.device);
    add(thread, LogCall::RanUntil, 0, uint64_t{work.thread} << 32 | uint64_t{work.row} << kErrorBits | error,
        static_cast<uint64_t>(work.until_ns));
}

TimedWork timed_work(const recorder::LogEntry &from, const recorder::LogEntry &until) noexcept {
    TimedWork work;
    work.stream = from.object;
    work.device = from.device;
    work.from_ns = static_cast<int64_t>(from.value);
    work.until_ns = static_cast<int64_t>(until.value);
    work.error_ns = static_cast<int64_t>(until.object & kMostError);
    work.thread = static_cast<uint32_t>(until.object >> 32);
    work.row = static_cast<uint32_t>(until.object) >> kErrorBits;
    return work;
}

bool is_default_stream(uint64_t stream) noexcept { return (stream & 1) != 0 || (stream & 0xFF) == 2; }

void begin_log() noexcept {
    char path[PATH_MAX + 16];
    std::snprintf(path, sizeof path, "%s/%%p.log", g_settings.folder);
    const uint64_t usual = watches(kDeviceTimes) ? uint64_t{1} << 18 : watches(kTrace) ? uint64_t{1} << 17 : 1024;
    const uint64_t entries = std::bit_ceil(g_settings.entries < 16 ? usual : g_settings.entries);
    recorder::open_log_file(g_settings.log[0] != '\0' ? g_settings.log : path, entries);
    recorder::start_log(entries);
}

// A dump says in which call a thread is.
void before_logged(const Call &call) noexcept {
    const bool traced = is_traced(call.row->kind);
    if (!traced && !may_block(call.row->kind)) return;
    ThreadBlock *thread = this_thread();
    if (!thread || !recorder::own_log_ring(*thread)) return;
    if (traced) add(*thread, LogCall::RangePush, 0, 0, static_cast<uint64_t>(call.row - kCallRows));
    if (!may_block(call.row->kind)) return;
    if (OpenRanges *ranges = open_ranges_of(*thread)) ranges->push(os_id(*thread), call.row->symbol);
}

void saw_logged(const Call &call) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return;
    if (OpenRanges *ranges = may_block(call.row->kind) ? thread->ranges.load(std::memory_order_relaxed) : nullptr)
        ranges->pop();
    // What a capture records happens when the graph is launched.
    if (call.result == CUDA_SUCCESS && !is_captured(call)) add_call(*thread, call);
    if (is_traced(call.row->kind)) add(*thread, LogCall::RangePop, 0, 0, 0);
}

} // namespace gs::front

namespace gs {

// For the recorder, which asks the core elsewhere: the name of a stream.
NameText name_of_object(uint64_t handle) noexcept {
    NameText name{};
    if (handle_kind(handle) != Kind::Stream) return name;
    const uint64_t address = handle & front::kAddressMask;
    if ((address & 1) != 0)
        std::snprintf(name.text, sizeof name.text, "default stream");
    else if ((address & 0xFF) == 2)
        std::snprintf(name.text, sizeof name.text, "default stream of thread %llu",
                      static_cast<unsigned long long>(address >> 8));
    else
        std::snprintf(name.text, sizeof name.text, "CUstream %#llx", static_cast<unsigned long long>(address));
    return name;
}

void guard_locks_in_fork() noexcept {
    if (!guard_threads_in_fork()) log_message(GS_LOG_WARNING, "no memory for what a fork needs");
}

} // namespace gs
