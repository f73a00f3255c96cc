// SPDX-License-Identifier: Apache-2.0
#include "core/work/host_call.hpp"

#include "backend/graphs.hpp"
#include "base/log.hpp"
#include "base/rare_state.hpp"
#include "base/status.hpp"
#include "core/open_ranges.hpp"
#include "core/stream/captured.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

// The word of a live record, SlotBase::handle, is its number with the state in place of the backend. 0: not live.
enum class CallState : uint64_t {
    Once = 1,     // runs once, then the record is free
    Captured = 2, // runs at every launch of a graph, but has not run yet
    Launched = 3, // as Captured, and has begun: it can no longer be cancelled
};

struct HostCall : SlotBase {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
    HostCall *next = nullptr;
};

constexpr uint64_t kStateMask = uint64_t{0x7} << kBackendShift;

constexpr uint64_t word_of(uint64_t number, CallState state) noexcept {
    return number | static_cast<uint64_t>(state) << kBackendShift;
}
constexpr CallState state_of(uint64_t word) noexcept { return static_cast<CallState>(handle_backend(word)); }

Mutex g_host_call_mutex;
SlotMap<HostCall, Kind::HostCall> g_calls;
FreeSlots<HostCall> g_free_calls GS_GUARDED_BY(g_host_call_mutex);

// Returns the call's number, 0 when there is no memory.
uint64_t take(void (*fn)(void *), void *arg, CallState state) noexcept {
    MutexLock lock(g_host_call_mutex);
    HostCall *call = g_free_calls.take(g_calls);
    if (!call) return 0;
    const uint64_t number = g_calls.next_handle(*call, 0);
    call->fn = fn;
    call->arg = arg;
    call->handle.store(word_of(number, state), std::memory_order_release);
    return number;
}

void give(HostCall &call) noexcept {
    MutexLock lock(g_host_call_mutex);
    g_free_calls.give(call);
}

// Only the thread whose exchange succeeds may touch the record, until it gives it back.
bool end(HostCall &call, uint64_t word) noexcept {
    return call.handle.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
}

// A trace shows how long it runs, on the backend's thread.
void invoke(void (*fn)(void *), void *arg) noexcept {
    const InsideCallback inside;
    uint64_t range = 0; // none where too many are open
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareTraced) != 0)
        start_range("host function runs", &range).ignore();
    fn(arg);
    if (range != 0) end_range(range).ignore();
}

// On a thread of the backend.
void run(void *opaque) {
    const auto number = reinterpret_cast<uint64_t>(opaque);
    HostCall &call = *g_calls.at(handle_index(number));
    uint64_t word = call.handle.load(std::memory_order_acquire);
    while ((word & ~kStateMask) == number) { // else the call was cancelled
        switch (state_of(word)) {
        case CallState::Once: {
            if (!end(call, word)) return;
            void (*fn)(void *) = call.fn;
            void *arg = call.arg;
            give(call);
            return invoke(fn, arg);
        }
        case CallState::Captured: {
            const uint64_t launched = word_of(number, CallState::Launched);
            if (call.handle.compare_exchange_strong(word, launched, std::memory_order_acq_rel)) word = launched;
            break;
        }
        case CallState::Launched: return invoke(call.fn, call.arg);
        }
    }
}

// Returns false when the function has begun. After true it never will, whatever the driver does with the number.
bool cancel(uint64_t number, CallState state) noexcept {
    HostCall &call = *g_calls.at(handle_index(number));
    if (!end(call, word_of(number, state))) return false;
    give(call);
    return true;
}

// The graph of a captured call, all its executables and their launches have ended. On a thread of the driver, so it makes
// no driver call.
void end_captured(void *opaque) {
    const auto number = reinterpret_cast<uint64_t>(opaque);
    HostCall &call = *g_calls.at(handle_index(number));
    const uint64_t word = call.handle.load(std::memory_order_acquire);
    if ((word & ~kStateMask) == number && end(call, word)) give(call);
}

// Ties a captured call to its graph. If that fails, the record stays for the life of the process: its graph may be launched at
// any time. If a capture of other code ended during the launch, the function may be in the stream itself, and must outlive the
// graph.
void tie(ThreadBlock &thread, StreamSlot &stream, uint64_t capture, const CapturePin &pin, uint64_t number) noexcept {
    void *word = reinterpret_cast<void *>(number); // NOLINT
    bool kept = false;
    const Status status =
        pin.graph() ? capture_guard()->keep(thread, pin, {end_graph_call, word})
                    : stream.backend->graphs()->capture_keep(thread, stream.ref(), capture, end_captured, word, &kept);
    if (status.ok() || status.code == GS_ERROR_NOT_SUPPORTED) return;
    log_message(GS_LOG_WARNING, "the record of a captured host function is kept until the process ends: %s: %s",
                status_name(status.code), pending_text());
}

} // namespace

Status launch_host(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept {
    GS_TRY(check_health(stream));
    mark_used(stream); // before the lock, since deferred functions of the stream are marked there
    const NoBeginOf no_begin(stream);
    StreamCapture capture;
    if (Graphs *graphs = stream.backend->graphs()) GS_TRY(graphs->capture(thread, stream.ref(), &capture));
    CapturePin pin;
    if (const CaptureGuard *guard = capture_guard(); capture.capturing() && guard)
        GS_TRY(guard->pin_for_call(thread, capture.id, &pin));
    const CallState state = capture.capturing() ? CallState::Captured : CallState::Once;
    const uint64_t number = take(fn, arg, state);
    if (number == 0) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    const Status status = stream.backend->launch_host(thread, stream.ref(), run, reinterpret_cast<void *>(number));
    if (status.ok()) {
        if (capture.capturing()) tie(thread, stream, capture.id, pin, number);
        return kOk;
    }
    if (cancel(number, state)) return status;
    log_message(GS_LOG_WARNING, "a host function runs although its launch on %s device %d reported: %s: %s",
                stream.backend->name(), stream.ordinal, status_name(status.code), pending_text());
    return kOk;
}

Status make_graph_call(void (*fn)(void *), void *arg, GraphCall *out) noexcept {
    const uint64_t number = take(fn, arg, CallState::Captured);
    if (number == 0) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    *out = {run, reinterpret_cast<void *>(number)};
    return kOk;
}

void end_graph_call(void *arg) noexcept { end_captured(arg); }

} // namespace gs
