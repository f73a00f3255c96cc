// SPDX-License-Identifier: Apache-2.0
// What stands behind the four kinds of handle. Plain members are written before the handle is published and only by
// whoever owns the dead slot; what changes while the handle lives is atomic.
#pragma once

#include "core/device/device.hpp"
#include "handle/slot_map.hpp"

namespace gs {

// An event's record as one word: {uid of the driver stream: 24, ticket: 40}. The ticket changes with every record and
// is never restarted while the slot lives, so that "the same word" means "the same record".
inline constexpr int kTicketBits = 40;
inline constexpr uint64_t kTicketMask = (uint64_t{1} << kTicketBits) - 1;
inline constexpr uint32_t kUnknownStream = 0; // recorded on a stream whose order we don't know, or raced
inline constexpr uint32_t kNeverRecorded = 0xFFFFFF;
inline constexpr uint32_t kLastStreamUid = kNeverRecorded - 1;

constexpr uint64_t record_word(uint32_t uid, uint64_t ticket) noexcept {
    return static_cast<uint64_t>(uid) << kTicketBits | (ticket & kTicketMask);
}
constexpr uint32_t word_stream(uint64_t word) noexcept { return static_cast<uint32_t>(word >> kTicketBits); }
constexpr uint64_t word_ticket(uint64_t word) noexcept { return word & kTicketMask; }

enum EventTrait : uint32_t {
    kEventForeign = 1u << 0,  // others may record it (exported, adopted, interprocess, external): never elided
    kEventBorrowed = 1u << 1, // the driver event is not ours to destroy
    kEventNoPool = 1u << 2,   // the driver event may not serve another owner
    kEventOpened = 1u << 3,   // another process exported it
};

struct alignas(64) EventSlot : SlotBase {
    std::atomic<uint64_t> word{record_word(kNeverRecorded, 0)};
    std::atomic<uint64_t> complete{kTicketMask}; // ticket known complete
    std::atomic<Device *> device{nullptr};       // bound by the first record, export, open or adoption
    std::atomic<uintptr_t> native{0};            // may wait here, unbound, for the slot's next event
    uint32_t flags = 0;                          // GS_EVENT_*
    std::atomic<uint32_t> traits{0};
    Device *native_device = nullptr;
    EventSlot *next = nullptr;
};

enum class StreamKind : uint8_t { Leased, Shared, Dedicated, Default, PerThread, External };
// Zombie: no caller's reference, but current on some thread, or about to be looked for there. Ended: no handle any more.
enum class StreamLife : uint8_t { Alive, Zombie, Ended };

struct alignas(64) StreamSlot : SlotBase {
    Device *device = nullptr;
    Backend *backend = nullptr;
    const std::atomic<uint32_t> *health = nullptr;
    uintptr_t native = 0;
    int32_t ordinal = 0;
    uint32_t uid =
        kUnknownStream; // of the driver stream; unknown where order cannot be argued (default, per-thread, external)
    StreamKind kind = StreamKind::Leased;
    std::atomic<bool> used{false};     // something was enqueued, or may have been
    std::atomic<bool> exported{false}; // its raw handle was given out
    std::atomic<bool> ever_current{false};
    std::atomic<StreamLife> life{StreamLife::Alive};
    int32_t priority = 0;
    uint32_t flags = 0;
    std::atomic<uintptr_t> wait_event{0}; // the persistent event of gs_stream_wait_stream
    void (*release)(void *) = nullptr;    // owned foreign stream
    void *release_arg = nullptr;
    StreamSlot *next = nullptr;

    StreamRef ref() const noexcept { return {ordinal, native}; }
    bool immortal() const noexcept { return kind == StreamKind::Default || kind == StreamKind::PerThread; }
};

inline Status check_health(const StreamSlot &stream) noexcept {
    if (__builtin_expect(stream.health->load(std::memory_order_relaxed) == 0, 1)) return kOk;
    return stream.backend->health(stream.ordinal);
}

struct KernelSlot;

struct alignas(64) ModuleSlot : SlotBase {
    Device *device = nullptr;
    uintptr_t native = 0;
    KernelSlot *kernels = nullptr; // guarded by the module mutex
    ModuleSlot *next = nullptr;
};

struct alignas(64) KernelSlot : SlotBase {
    Device *device = nullptr;
    uintptr_t native = 0;
    char *name = nullptr;
    KernelSlot *next = nullptr;
};

extern SlotMap<EventSlot> g_event_slots __attribute__((visibility("hidden")));
extern SlotMap<StreamSlot> g_stream_slots __attribute__((visibility("hidden")));
extern SlotMap<ModuleSlot> g_module_slots __attribute__((visibility("hidden")));
extern SlotMap<KernelSlot> g_kernel_slots __attribute__((visibility("hidden")));
// Every hot call begins with a look into one of these, so the look is inline.
inline SlotMap<EventSlot> &event_slots() noexcept { return g_event_slots; }
inline SlotMap<StreamSlot> &stream_slots() noexcept { return g_stream_slots; }
inline SlotMap<ModuleSlot> &module_slots() noexcept { return g_module_slots; }
inline SlotMap<KernelSlot> &kernel_slots() noexcept { return g_kernel_slots; }

} // namespace gs
