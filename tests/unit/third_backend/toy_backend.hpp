// SPDX-License-Identifier: Apache-2.0
// A backend for a test: two devices whose work is done when it is submitted. What it does not have is NOT_SUPPORTED.
#pragma once

#include "backend/backend.hpp"
#include "inventory/vendor.hpp"

namespace gs {

Backend &toy_backend() noexcept;

namespace inventory {
// Lists the toy's devices as two GPUs, the second one first.
Vendor &toy_vendor() noexcept;
} // namespace inventory

} // namespace gs
