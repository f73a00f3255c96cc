// SPDX-License-Identifier: Apache-2.0
// Signals that no stream writes into their timeline's word. Only their events show that they have happened: who needs the value
// asks the driver, and the host raises the word. See docs/adr/0032-words-that-streams-need.md.
#pragma once

#include "core/timeline/timeline_table.hpp"

namespace gs {

// Brings the word up to the largest signal that has happened. May call the driver, and inside a host function waits for
// the scanner to do so.
Status learn_value(ThreadBlock &thread, uint64_t handle) noexcept;
// The old signal that a new one asks about, pinned, because too many are listed; nullptr: none. With the slot in use.
TimelineSignal *old_signal(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
Status ask_about_old(ThreadBlock &thread, TimelineSlot &slot, TimelineSignal &signal) noexcept;

// body(slot) as of with_timeline(), with a word that has all that had happened before the call.
template <typename Body>
Status with_value(ThreadBlock &thread, uint64_t handle, Body &&body) noexcept {
    bool ask = false;
    const Status status = with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        ask = unwritten_signals(slot) != 0 && aborted_status(slot) == GS_OK;
        return ask ? kOk : body(slot);
    });
    if (!ask) return status;
    GS_TRY(learn_value(thread, handle));
    return with_timeline(handle, body);
}

} // namespace gs
