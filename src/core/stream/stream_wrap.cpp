// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_wrap.hpp"

#include "base/testing.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_hooks.hpp"
#include "core/stream/stream_slots.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

Mutex g_foreign_owner_mutex; // of `release` and of changes of `foreign` while a stream has references

} // namespace

Status take_over(StreamSlot &slot, ReleaseFunction release) noexcept {
    MutexLock lock(g_foreign_owner_mutex);
    if (!slot.foreign.load(std::memory_order_relaxed))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the stream %#zx is gpustream's own: it needs no release function",
                    static_cast<size_t>(slot.native));
    if (slot.release)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the stream %#zx is owned already, by a wrap with a release function",
                    static_cast<size_t>(slot.native));
    slot.release = release;
    return kOk;
}

Status give_up(StreamSlot &slot) noexcept {
    if (slot.immortal())
        return fail(GS_ERROR_INVALID_ARGUMENT, "stream word %zu belongs to the driver and cannot be given up",
                    static_cast<size_t>(slot.native));
    if (slot.partition)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "a stream of a partition cannot be given up: it would outlive the partition");
    if (slot.kind == StreamKind::Shared)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "a stream created with GS_STREAM_SHARED cannot be given up: other handles name the same driver "
                    "stream");
    MutexLock lock(g_foreign_owner_mutex);
    if (slot.foreign.load(std::memory_order_relaxed) && !slot.release)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the stream %#zx is borrowed: its owner destroys it",
                    static_cast<size_t>(slot.native));
    slot.release = {};
    slot.foreign.store(true, std::memory_order_release);
    return kOk;
}

namespace {

constexpr uintptr_t kNativeLegacy = 1; // CU_STREAM_LEGACY: another name of the default stream
constexpr uintptr_t kFirstPointer = 4096;
constexpr uintptr_t kEndOfUserSpace = uintptr_t{1} << 47;
constexpr uintptr_t kPointerAlignment = 8;

Status check_native(uintptr_t native) noexcept {
    if (native >= kFirstPointer && native < kEndOfUserSpace && native % kPointerAlignment == 0) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE,
                "%#zx cannot be a driver's stream: those are 0, 1, 2 or aligned user-space addresses",
                static_cast<size_t>(native));
}

Status check_expected(const Device *expected, const Device &actual) noexcept {
    if (!expected || expected == &actual) return kOk;
    return fail(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to %s device %d, not to %s device %d",
                actual.backend->name(), actual.ordinal, expected->backend->name(), expected->ordinal);
}

// The default and the per-thread stream. The driver owns them, so nothing may release them.
Status wrap_driver_word(ThreadBlock &thread, Device *device, uintptr_t native, ReleaseFunction release,
                        uint64_t *out_handle) noexcept {
    if (!device) GS_TRY(current_device(thread, &device));
    StreamSlot *slot = native == kNativePerThreadStream ? device->per_thread_stream : device->default_stream;
    *out_handle = slot->handle.load(std::memory_order_relaxed);
    if (!release) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "stream word %zu belongs to the driver and cannot be owned",
                static_cast<size_t>(native));
}

// *out_handle stays 0 if the driver's handle is not known, or if its stream ended during the call.
inline Status wrap_known(ThreadBlock &thread, const Backend &backend, const Device *expected, uintptr_t native,
                         ReleaseFunction release, uint64_t *out_handle) noexcept {
    uint64_t known = 0;
    Status taken = kOk;
    {
        CallMark mark(thread);
        StreamSlot *slot = find_native(thread, backend, native, &known);
        if (!slot) return kOk;
        GS_TRY(check_expected(expected, *slot->device));
        GS_YIELD(AfterCheck);
        if (!add_user(*slot)) {
            Status retained = retain_stream(thread, known);
            // The driver's stream of a shared or foreign one lives on; another one's is about to be reused.
            const bool lives_on = slot->kind == StreamKind::Shared || slot->foreign.load(std::memory_order_relaxed);
            if (!retained.ok()) return lives_on ? kOk : retained;
        }
        if (release) taken = take_over(*slot, release);
    }
    if (!taken.ok()) {
        release_stream(thread, known).ignore(); // retained above: cannot be missing
        return taken;
    }
    *out_handle = known;
    return kOk;
}

// The device of a stream that cannot be asked for it now: the one that the caller names, else that of the driver's
// current context, in which capturing code works.
Device &presumed_device(ThreadBlock &thread, Backend &backend, Device *expected) noexcept {
    if (expected) return *expected;
    const int32_t ordinal = backend.current_ordinal(thread);
    return *started_device(backend.kind(), ordinal >= 0 ? ordinal : 0);
}

// A wrap of a stream that the driver knows. *out_handle stays 0 if another thread has wrapped it in the meantime.
Status adopt(ThreadBlock &thread, Backend &backend, Device *expected, uintptr_t native, uint64_t *out_handle) noexcept {
    AdoptedStream found{};
    GS_TRY(backend.stream_adopt(native, &found));
    Device &device =
        found.capturing ? presumed_device(thread, backend, expected) : *started_device(backend.kind(), found.ordinal);
    GS_TRY(check_expected(expected, device));
    StreamSlot *slot = take_bare_stream();
    if (!slot) return no_slot(Kind::Stream);
    bind_slot(*slot, device,
              {.kind = StreamKind::External,
               .native = native,
               .priority = found.priority,
               .flags = found.blocking ? uint32_t{GS_STREAM_BLOCKING} : 0u,
               .exported = true});
    if (found.capturing) postpone_check(*slot);
    uint64_t handle = 0;
    publish_stream(thread, *slot, &handle);
    bool first = false;
    const Status entered = enter_native(*slot, handle, &first);
    if (entered.ok() && first) {
        thread.counters.streams_created.add();
        *out_handle = handle;
        return kOk;
    }
    release_stream(thread, handle).ignore(); // no other thread knows it
    return entered;
}

// The handle was not known just now.
__attribute__((noinline)) Status wrap_new(ThreadBlock &thread, Backend &backend, Device *expected, uintptr_t native,
                                          ReleaseFunction release, uint64_t *out_handle) noexcept {
    uint64_t handle = 0;
    for (;;) {
        GS_TRY(adopt(thread, backend, expected, native, &handle));
        if (handle != 0) break;
        GS_TRY(wrap_known(thread, backend, expected, native, release, out_handle));
        if (*out_handle != 0) return kOk;
    }
    if (release) {
        StreamSlot *slot = stream_slots().find(handle); // ours: the reference keeps it alive
        if (Status taken = take_over(*slot, release); !taken.ok()) {
            release_stream(thread, handle).ignore();
            return taken;
        }
    }
    *out_handle = handle;
    return kOk;
}

} // namespace

Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept {
    if (native == kNativeDefaultStream || native == kNativeLegacy || native == kNativePerThreadStream)
        return wrap_driver_word(thread, expected, native, release, out_handle);
    GS_TRY(check_native(native));
    Backend *backend = expected ? expected->backend : started_default_backend();
    if (!backend) GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
    uint64_t handle = 0;
    GS_TRY(wrap_known(thread, *backend, expected, native, release, &handle));
    if (handle == 0) return wrap_new(thread, *backend, expected, native, release, out_handle);
    *out_handle = handle;
    return kOk;
}

Status unwrap_stream(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept {
    uintptr_t native = 0;
    {
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(required_stream(thread, handle, &slot));
        if (slot->users.load(std::memory_order_seq_cst) == 0)
            return fail(GS_ERROR_INVALID_HANDLE, "stream %s has no reference left to give up",
                        describe_object(handle).text);
        if (!slot->immortal()) GS_TRY(remember_native(*slot)); // other references may live on
        GS_TRY(give_up(*slot));
        drop_kept_memory(*slot);
        native = slot->native;
    }
    GS_TRY(release_stream(thread, handle));
    *out_native = native;
    return kOk;
}

} // namespace gs
