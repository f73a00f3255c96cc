// SPDX-License-Identifier: Apache-2.0
// Deferred calls: functions that run some time after the work of a stream so far is done. They are collected in a batch per
// stream, which costs one record.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Runs under the caller's CallMark.
Status defer(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept;

} // namespace gs
