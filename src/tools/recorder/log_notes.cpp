// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_notes.hpp"

#include <bit>
#include <cstring>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "core/lookup.hpp"
#include "handle/grace.hpp"
#include "tools/recorder/dump.hpp"
#include "tools/recorder/event_log.hpp"
#include "tools/recorder/log_file.hpp"
#include "tools/recorder/log_ring.hpp"
#include "tools/recorder/sync_sites.hpp"

namespace gs::recorder {
namespace {

constexpr int64_t kFewestEntries = 16;
constexpr int64_t kEntriesOfFile = 1024; // if GPUSTREAM_LOG does not say

std::atomic<uint64_t> g_lasting_entries{0}; // without a trace
std::atomic<LogListener> g_log_listener{nullptr};

void read_log() noexcept {
    const char *file = env_text(Variable::LogFile);
    if (file && *file == '\0') file = nullptr;
    const char *text = env_text(Variable::Log);
    const bool off = text && std::strcmp(text, "0") == 0;
    const auto wanted = off ? 0u
                            : static_cast<uint64_t>(env_number(Variable::Log, file ? kEntriesOfFile : 0, kFewestEntries,
                                                               kMostLogEntries));
    if (wanted != 0) {
        const uint64_t entries = std::bit_ceil(wanted);
        g_lasting_entries.store(entries, std::memory_order_relaxed);
        open_log_file(file, entries);
        start_log(entries);
        g_rare_state.fetch_or(kRareLogged, std::memory_order_relaxed);
    }
}

void read_syncs() noexcept {
    if (const char *syncs = env_text(Variable::Syncs); syncs && *syncs != '\0' && std::strcmp(syncs, "0") != 0) {
        const bool warn = std::strcmp(syncs, "null") == 0;
        if (warn || std::strcmp(syncs, "1") == 0)
            watch_syncs();
        else
            log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is neither 0, 1 nor null", name_of(Variable::Syncs),
                        syncs);
        if (!warn) return;
        watch_default_stream();
        g_rare_state.fetch_or(kRareDefaultStream, std::memory_order_relaxed);
    }
}

// Whether the log is on and nothing else wants to know of calls, as is usual while it is on: then an entry is a few stores.
inline bool only_logs(uint32_t rare) noexcept {
    constexpr uint32_t others = kRareBadFork | kRareListened | kRareDefaultStream | kRareTraced;
    return (rare & (others | kRareLogged)) == kRareLogged;
}

void log_only(ThreadBlock &thread, LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    LogRing *ring = own_log_ring(thread);
    if (!ring) return;
    const uint64_t number = thread.os_id != 0 ? thread.os_id : os_id(thread);
    ring->add(monotonic_ns(), stream, object, value,
              uint64_t{static_cast<uint32_t>(call)} << 32 | static_cast<uint32_t>(number));
}

bool is_traced() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareTraced) != 0; }

// The thread, if its calls are logged or listened to.
ThreadBlock *logged_thread() noexcept {
    if (!this_thread() || in_bad_fork()) return nullptr; // in this order: a thread's first call may find that out
    const bool heard = g_log_listener.load(std::memory_order_relaxed) != nullptr;
    return is_logging() || heard || warns_of_default_stream() ? this_thread() : nullptr;
}

// The stream may end before the trace is written, and what device it was of is known no more.
uint32_t device_of_handle(ThreadBlock &thread, uint64_t stream) noexcept {
    if (handle_kind(stream) != Kind::Stream) return 0;
    CallMark mark(thread);
    const StreamSlot *slot = find_stream(thread, stream);
    return slot ? static_cast<uint32_t>(slot->device->index) + 1 : 0;
}

void add_entry(ThreadBlock &thread, LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    if (warns_of_default_stream() && call < LogCall::SeenEvent) note_use_of_stream(stream);
    LogEntry entry{monotonic_ns(), stream, object, value, static_cast<uint32_t>(os_id(thread)), call, 0, 0};
    if (is_traced()) {
        entry.device = device_of_handle(thread, stream);
        if (call == LogCall::WaitStream) entry.other_device = device_of_handle(thread, object);
    }
    if (is_logging()) add_to_log(thread, entry);
    const LogListener listener = g_log_listener.load(std::memory_order_relaxed);
    if (!listener || thread.in_listener) return;
    thread.in_listener = true;
    listener(entry);
    thread.in_listener = false;
}

// GS_STREAM_CURRENT becomes the handle that it stood for in the call. False: true_handle() has it.
[[gnu::always_inline]] inline bool name_current(const ThreadBlock &thread, uint64_t *stream) noexcept {
    if (*stream != kCurrentStreamBits) return true;
    const StreamSlot *slot = known_current_stream(thread);
    if (slot) *stream = slot->handle.load(std::memory_order_relaxed);
    return slot != nullptr;
}

// GS_STREAM_CURRENT is answered as the call itself did.
uint64_t true_handle(ThreadBlock &thread, uint64_t stream) noexcept {
    if (stream != kCurrentStreamBits) return stream;
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    return optional_stream(thread, stream, &slot).ok() ? slot->handle.load(std::memory_order_relaxed) : 0;
}

[[gnu::noinline]] void note_call_rarely(LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    ThreadBlock *thread = logged_thread();
    if (!thread) return;
    add_entry(*thread, call, true_handle(*thread, stream),
              call == LogCall::WaitStream ? true_handle(*thread, object) : object, value);
}

// The word without a CallMark: slots are never freed, and what is read while the handle is the same is this event's.
[[gnu::always_inline]] inline bool present_record(uint64_t event, uint64_t *out_word) noexcept {
    const EventSlot *slot = event_slots().find(event);
    if (!slot) return false;
    *out_word = slot->word.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    return slot->handle.load(std::memory_order_relaxed) == event;
}

[[gnu::noinline]] void note_event_rarely(LogCall call, uint64_t stream, uint64_t event) noexcept {
    ThreadBlock *thread = logged_thread();
    uint64_t word = 0;
    if (thread && present_record(event, &word)) add_entry(*thread, call, true_handle(*thread, stream), event, word);
}

} // namespace

void note_call(LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed);
    ThreadBlock *present = t_block;
    if (!present || !only_logs(rare)) return note_call_rarely(call, stream, object, value);
    const bool named =
        name_current(*present, &stream) && (call != LogCall::WaitStream || name_current(*present, &object));
    if (!named) return note_call_rarely(call, stream, object, value);
    log_only(*present, call, stream, object, value);
}

void start_traced_log(uint64_t entries) noexcept {
    for (ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next)
        if (LogRing *ring = thread->log.load(std::memory_order_acquire)) // as model first_record_is_seen_whole
            ring->start_counting();
    const uint64_t lasting = g_lasting_entries.load(std::memory_order_relaxed);
    start_log(lasting > entries ? lasting : entries);
    g_rare_state.fetch_or(kRareLogged | kRareTraced, std::memory_order_relaxed);
}

void stop_traced_log() noexcept {
    const uint64_t lasting = g_lasting_entries.load(std::memory_order_relaxed);
    start_log(lasting);
    const uint32_t ended = lasting == 0 ? kRareTraced | kRareLogged : kRareTraced;
    g_rare_state.fetch_and(~ended, std::memory_order_relaxed);
}

void set_log_listener(LogListener listener) noexcept {
    g_log_listener.store(listener, std::memory_order_relaxed);
    if (listener)
        g_rare_state.fetch_or(kRareListened, std::memory_order_relaxed);
    else
        g_rare_state.fetch_and(~uint32_t{kRareListened}, std::memory_order_relaxed);
}

bool is_logged() noexcept {
    return (g_rare_state.load(std::memory_order_relaxed) & kRareNoted) != 0 && logged_thread();
}

void note_record(LogCall call, uint64_t stream, uint64_t event) noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed);
    ThreadBlock *present = t_block;
    if (!present || !only_logs(rare) || !name_current(*present, &stream)) return note_event_rarely(call, stream, event);
    uint64_t word = 0;
    if (!present_record(event, &word)) return;
    log_only(*present, call, stream, event, word);
}

void read_log_environment() noexcept {
    read_log();
    install_dump_signal();
    read_syncs();
}

void note_name(uint64_t handle) noexcept {
    if (logged_thread()) keep_name_in_file(handle);
}

} // namespace gs::recorder
