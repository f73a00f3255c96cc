// SPDX-License-Identifier: Apache-2.0
// Timelines that processes share: how they are made, exported and opened.
#pragma once

#include "core/device/device.hpp"

namespace gs {

Status create_shared(Device &device, uint64_t initial, uint64_t *out_handle) noexcept;
Status export_timeline(uint64_t handle, gs_ipc_handle_t *out) noexcept;
Status open_timeline(Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept;

} // namespace gs
