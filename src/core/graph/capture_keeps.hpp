// SPDX-License-Identifier: Apache-2.0
// What captured calls refer to lives as long as the graph that they are captured into: see CaptureGuard.
#pragma once

#include "core/stream/captured.hpp"

namespace gs {

Status keep_module(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module) noexcept;
Status keep_event(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept;
Status keep_call(ThreadBlock &thread, uint64_t id, const KeptByGraph &kept, bool *out_known) noexcept;

} // namespace gs
