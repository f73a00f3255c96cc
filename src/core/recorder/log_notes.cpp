// SPDX-License-Identifier: Apache-2.0
#include "core/recorder/log_notes.hpp"

#include <bit>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "core/lookup.hpp"
#include "core/recorder/dump_signal.hpp"
#include "core/recorder/event_log.hpp"
#include "handle/grace.hpp"

namespace gs::recorder {
namespace {

constexpr uint64_t kFewestEntries = 16;
constexpr int64_t kMostEntries = 1 << 20;

std::atomic<bool> g_log_decided{false};

// The first call decides what the environment says. A call of another thread at that moment is not in the log.
void decide_log() noexcept {
    if (g_log_decided.exchange(true, std::memory_order_relaxed)) return;
    const auto wanted = static_cast<uint64_t>(env_number(Variable::Log, 0, 0, kMostEntries));
    if (wanted != 0) {
        start_log(std::bit_ceil(wanted < kFewestEntries ? kFewestEntries : wanted));
        g_rare_state.fetch_or(kRareLogged, std::memory_order_relaxed);
    }
    install_dump_signal();
    g_rare_state.fetch_and(~uint32_t{kRareLogUndecided}, std::memory_order_relaxed);
}

// The thread, if its calls are logged.
ThreadBlock *logged_thread() noexcept {
    if (in_bad_fork()) return nullptr;
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareLogUndecided) != 0) decide_log();
    return is_logging() ? this_thread() : nullptr;
}

void add_entry(ThreadBlock &thread, LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    add_to_log(thread, {monotonic_ns(), stream, object, value, static_cast<uint32_t>(os_id(thread)), call});
}

// GS_STREAM_CURRENT is answered as the call itself did.
uint64_t true_handle(ThreadBlock &thread, uint64_t stream) noexcept {
    if (stream != kCurrentStreamBits) return stream;
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    return optional_stream(thread, stream, &slot).ok() ? slot->handle.load(std::memory_order_relaxed) : 0;
}

} // namespace

void note_call(LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept {
    ThreadBlock *thread = logged_thread();
    if (!thread) return;
    add_entry(*thread, call, true_handle(*thread, stream),
              call == LogCall::WaitStream ? true_handle(*thread, object) : object, value);
}

void note_event(LogCall call, uint64_t stream, uint64_t event) noexcept {
    ThreadBlock *thread = logged_thread();
    if (!thread) return;
    uint64_t word = 0;
    {
        CallMark mark(*thread);
        const EventSlot *slot = find_event(*thread, event);
        if (!slot) return;
        word = slot->word.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    }
    add_entry(*thread, call, true_handle(*thread, stream), event, word);
}

} // namespace gs::recorder
