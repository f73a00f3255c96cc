// SPDX-License-Identifier: Apache-2.0
// Host functions: wrapped, so that calls of the library from inside them are recognised and refused.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Runs under the caller's CallMark.
Status launch_host(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept;

} // namespace gs
