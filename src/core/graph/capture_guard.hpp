// SPDX-License-Identifier: Apache-2.0
// Which calls would break a capture: core/stream/captured.hpp asks.
#pragma once

namespace gs {

void install_capture_guard() noexcept;

} // namespace gs
