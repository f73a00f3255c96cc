// SPDX-License-Identifier: Apache-2.0
// Deferred calls: functions that run some time after the work of a stream so far is done. They are collected in a batch per
// stream, which costs one record.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Of a stream that is being captured: its graph keeps the function, or it runs after the work that the stream has outside
// of captures, once the capture has ended.
enum class InCapture : bool { Keep, Outlast };

// Runs under the caller's CallMark.
Status defer(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg,
             InCapture in_capture = InCapture::Keep) noexcept;

} // namespace gs
