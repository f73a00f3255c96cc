// SPDX-License-Identifier: Apache-2.0
// What a failed call was about: the stream, event and device of the thread's last error.
#pragma once

#include "base/thread_block.hpp"

namespace gs {

// Adds what the call was given where the failure itself named no such object. Asks no driver, and never fails: what is not
// known stays out of the record.
void note_given(ThreadBlock &thread, gs_stream_t stream, gs_event_t event, gs_device_t device) noexcept
    __attribute__((cold));

} // namespace gs
