// SPDX-License-Identifier: Apache-2.0
// Changes the calling thread's current device and current streams.
#pragma once

#include "core/stream/stream_life.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {

// Changes the current device, and the driver's context where that exists.
Status set_current_device(ThreadBlock &thread, Device &device) noexcept;
// The same at the end of a scope: a device that cannot be used becomes current too, and its first use reports it.
Status go_back_to_device(ThreadBlock &thread, Device &device) noexcept;

// From now on the stream counts as held by this thread, until core.entering is cleared. INVALID_HANDLE: it was destroyed
// during the call. The caller has found the slot under its CallMark.
inline Status announce_current(CoreThread &core, StreamSlot &stream, uint64_t handle) noexcept {
    if (!enter_current(core, stream, handle)) return stream_was_destroyed(handle);
    core.entering.store(&stream, std::memory_order_release);
    if (confirm_current(stream, handle)) return kOk;
    core.entering.store(nullptr, std::memory_order_release);
    return stream_was_destroyed(handle);
}
// Makes the stream current, and its device too. The caller has found the slot under its CallMark. After the mark has
// ended it hands *out_dropped to settle_if_zombie, also when this fails.
Status set_current_stream(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                          StreamSlot **out_dropped) noexcept;

// Creates the core state of a thread at its first use, and empties that state when the thread exits.

// The thread exits: streams that it had current may now end. Makes no driver call.
void empty_core(ThreadBlock &thread) noexcept;

// nullptr: memory is out.
CoreThread *attach_core(ThreadBlock &thread) noexcept;
inline CoreThread *core_thread(ThreadBlock &thread) noexcept {
    return thread.core != nullptr ? thread.core : attach_core(thread);
}

} // namespace gs
