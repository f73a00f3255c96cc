// SPDX-License-Identifier: Apache-2.0
// What is known in this process: its slots, and the log if it is on.
#pragma once

#include "tools/recorder/evidence.hpp"

namespace gs::recorder {

const Evidence &live_evidence() noexcept;

} // namespace gs::recorder
