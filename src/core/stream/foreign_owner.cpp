// SPDX-License-Identifier: Apache-2.0
#include "core/stream/foreign_owner.hpp"

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
    slot.release = release.fn;
    slot.release_arg = release.arg;
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
    slot.release = nullptr;
    slot.release_arg = nullptr;
    slot.foreign.store(true, std::memory_order_release);
    return kOk;
}

} // namespace gs
