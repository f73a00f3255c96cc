// SPDX-License-Identifier: Apache-2.0
// Creates the core state of a thread at its first use, and empties that state when the thread exits.
#pragma once

#include "core/thread/thread_state.hpp"

namespace gs {

// The thread exits: streams that it had current may now end. Makes no driver call.
void empty_core(ThreadBlock &thread) noexcept;

// nullptr: memory is out.
CoreThread *attach_core(ThreadBlock &thread) noexcept;
inline CoreThread *core_thread(ThreadBlock &thread) noexcept {
    return thread.core != nullptr ? thread.core : attach_core(thread);
}

} // namespace gs
