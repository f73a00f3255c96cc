// SPDX-License-Identifier: Apache-2.0
// The end of a partition: by its handle, with the driver streams that it keeps for its next ones.
#pragma once

#include "base/status.hpp"

namespace gs {

Status end_partition(uint64_t handle) noexcept;

} // namespace gs
