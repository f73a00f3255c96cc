// SPDX-License-Identifier: Apache-2.0
// The slots behind the four kinds of handle. Plain members are written before the handle is published, by the owner of
// the dead slot. What changes while the handle lives is atomic.
#pragma once

#include "base/core_data.hpp"
#include "base/lock.hpp"
#include "base/testing.hpp"
#include "core/device/device.hpp"
#include "core/life.hpp"
#include "handle/slot_map.hpp"

namespace gs {

// An event's record as one word: {uid of the driver stream: 24, ticket: 40}. The ticket changes with every record and
// does not restart while the slot lives: the same word means the same record.
inline constexpr int kTicketBits = 40;
inline constexpr uint64_t kTicketMask = (uint64_t{1} << kTicketBits) - 1;
inline constexpr uint32_t kUnknownStream = 0; // recorded on a stream whose order we do not know, or by racing recorders
inline constexpr uint32_t kNeverRecorded = 0xFFFFFF;
inline constexpr uint32_t kLastStreamUid = kNeverRecorded - 1;

constexpr uint64_t record_word(uint32_t uid, uint64_t ticket) noexcept {
    return static_cast<uint64_t>(uid) << kTicketBits | (ticket & kTicketMask);
}
constexpr uint32_t word_stream(uint64_t word) noexcept { return static_cast<uint32_t>(word >> kTicketBits); }
constexpr uint64_t word_ticket(uint64_t word) noexcept { return word & kTicketMask; }

// A function of the program that ends an owned foreign stream or event. No lock is held while it runs.
struct ReleaseFunction {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;

    explicit operator bool() const noexcept { return fn != nullptr; }
    void operator()() const { fn(arg); }
};

enum EventTrait : uint32_t {
    kEventForeign = 1u << 0,   // recorded unseen by the library, by graphs or other code: never elided
    kEventBorrowed = 1u << 1,  // the driver event is not ours to destroy
    kEventNoPool = 1u << 2,    // the driver event may not serve another owner
    kEventOpened = 1u << 3,    // another process exported it
    kEventReleased = 1u << 4,  // `release` is called instead of destroying the driver event
    kEventKnown = 1u << 5,     // event_calls.hpp has its driver event
    kEventHeld = 1u << 6,      // the library asks about its record (event_calls.hpp)
    kEventReachable = 1u << 7, // a reachable stream has recorded it (captured.hpp)
    kEventShared = 1u << 8,    // other code of this process may record it: given out, adopted
};

struct alignas(64) EventSlot : SlotBase {
    std::atomic<uint64_t> word{record_word(kNeverRecorded, 0)};
    std::atomic<uint64_t> complete{kTicketMask}; // the ticket that is known to be complete
    std::atomic<Device *> device{nullptr};       // bound by the first record, export, open or adoption
    std::atomic<uintptr_t> native{0};            // a free slot keeps it for its next event
    uint32_t flags = 0;                          // GS_EVENT_*
    std::atomic<uint32_t> traits{0};
    std::atomic<EventState> state{EventState::Free};
    std::atomic<uint64_t> captured{0}; // number of the capture that its last record was part of (captured.hpp)
    Device *native_device = nullptr;
    ReleaseFunction release; // if kEventReleased
    EventSlot *next = nullptr;
};
static_assert(sizeof(EventSlot) == 128);

struct DeferredBatch;
struct PartitionSlot;
struct StreamPool;
class FrontCache;

// Written before the handle is published; a dump reads it at any time.
class StreamUid {
public:
    operator uint32_t() const noexcept { return number_.load(std::memory_order_relaxed); } // NOLINT: it is the number
    StreamUid &operator=(uint32_t number) noexcept {
        number_.store(number, std::memory_order_relaxed);
        return *this;
    }

private:
    std::atomic<uint32_t> number_{kUnknownStream};
};

enum class StreamUse : uint8_t {
    None,   // nothing was enqueued since the stream was known to be idle
    Some,   // something was enqueued, or may have been
    Waited, // its only thread has found it idle since; of a stream with several threads no more than Some
};

enum class StreamKind : uint8_t { Leased, Shared, Dedicated, Default, PerThread, External };

// Of a stream that is not simply usable: wrapped during a capture (captured.hpp), or a default stream whose work would break
// a capture (captured.hpp).
enum LateCheck : uint32_t { kLateNone = 0, kLateDue = 1, kLateDone = 2, kLateClosed = 3 };

struct alignas(64) StreamSlot : SlotBase, BackendDevice {
    StreamUid uid; // of the driver stream; kUnknownStream: default, per-thread or external
    uintptr_t native = 0;
    Device *device = nullptr;
    StreamKind kind = StreamKind::Leased;
    std::atomic<StreamUse> use{StreamUse::None};
    std::atomic<bool> exported{false};  // its raw handle was given out
    std::atomic<bool> reachable{false}; // a capture that other code begins may take it in (captured.hpp)
    std::atomic<bool> ever_current{false};
    std::atomic<uint32_t> capture_begins{0}; // odd: a thread is inside a begin of a capture on it
    BriefLock begin_lock; // of a begin, and of driver calls beside which none may happen (captured.hpp)
    std::atomic<StreamState> state{StreamState::Bare};
    // A LateCheck; not kLateNone: `health` points here.
    std::atomic<uint32_t> late{0};
    std::atomic<int32_t> priority{0};
    std::atomic<uint32_t> flags{0};       // GS_STREAM_*
    std::atomic<uintptr_t> wait_event{0}; // see stream_slots.hpp
    // The driver's stream is not the library's to destroy or to reuse: see stream_wrap.hpp.
    std::atomic<bool> foreign{false};
    ReleaseFunction release;
    std::atomic<DeferredBatch *> deferred{nullptr}; // see core/stream/stream_hooks.hpp
    std::atomic<FrontCache *> front{nullptr};       // see core/stream/stream_hooks.hpp
    // The last wait that was passed to the driver, for dumps: an event, a stream, or a timeline with its value.
    std::atomic<uint64_t> last_wait{0};
    std::atomic<uint64_t> last_wait_value{0};
    PartitionSlot *partition = nullptr; // that its driver stream was made in; nullptr: the whole device
    StreamPool *pool = nullptr;         // of a lease that has been returned
    StreamSlot *next = nullptr;

    StreamRef ref() const noexcept { return {ordinal, native}; }
    bool immortal() const noexcept { return kind == StreamKind::Default || kind == StreamKind::PerThread; }
    bool blocking() const noexcept { return (flags.load(std::memory_order_relaxed) & GS_STREAM_BLOCKING) != 0; }
};

// check_health for streams: those that could not be checked when they were wrapped are checked here.
Status check_health_slowly(StreamSlot &stream) noexcept __attribute__((cold));
inline Status check_health(StreamSlot &stream) noexcept {
    if (stream.health->load(std::memory_order_relaxed) == 0) return kOk;
    return check_health_slowly(stream);
}

// Every change of a slot's state. Builds for tests stop at one that the tables of life.hpp do not have.
template <typename Slot, typename State>
void set_state(Slot &slot, State to, std::memory_order order = std::memory_order_relaxed) noexcept {
    GS_CHECK(life::may_follow(slot.state.load(std::memory_order_relaxed), to));
    slot.state.store(to, order);
}

// Marks the end of the work so far for functions that wait for it (stream_hooks.hpp).
void flush_deferred(StreamSlot &stream) noexcept __attribute__((cold));

inline void mark_used(StreamSlot &stream) noexcept {
    if (stream.use.load(std::memory_order_relaxed) != StreamUse::Some)
        stream.use.store(StreamUse::Some, std::memory_order_relaxed);
    if (stream.deferred.load(std::memory_order_relaxed) != nullptr) flush_deferred(stream);
}

struct KernelSlot;
class LoadedModule;

struct alignas(64) ModuleSlot : SlotBase {
    Device *device = nullptr;
    LoadedModule *loaded = nullptr;
    KernelSlot *kernels = nullptr; // guarded by the module mutex
    ModuleSlot *next = nullptr;
};

struct alignas(64) KernelSlot : SlotBase {
    Device *device = nullptr;
    LoadedModule *loaded = nullptr;
    uintptr_t native = 0;
    char *name = nullptr;
    KernelSlot *next = nullptr;
};

using EventSlots = SlotMap<EventSlot, Kind::Event>;
using StreamSlots = SlotMap<StreamSlot, Kind::Stream>;
using ModuleSlots = SlotMap<ModuleSlot, Kind::Module>;
using KernelSlots = SlotMap<KernelSlot, Kind::Kernel>;
GS_CORE_DATA(EventSlots, g_event_slots);
GS_CORE_DATA(StreamSlots, g_stream_slots);
extern ModuleSlots g_module_slots __attribute__((visibility("hidden")));
extern KernelSlots g_kernel_slots __attribute__((visibility("hidden")));
// Every hot call looks into one of these, so the access is inline.
inline EventSlots &event_slots() noexcept { return g_event_slots; }
inline StreamSlots &stream_slots() noexcept { return g_stream_slots; }
inline ModuleSlots &module_slots() noexcept { return g_module_slots; }
inline KernelSlots &kernel_slots() noexcept { return g_kernel_slots; }

} // namespace gs
