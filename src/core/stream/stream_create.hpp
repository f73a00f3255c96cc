// SPDX-License-Identifier: Apache-2.0
// Creates streams. *out_handle carries one caller's reference.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept;
// In a partition; INVALID_HANDLE: there is no such partition.
Status create_stream_in(ThreadBlock &thread, uint64_t partition, int32_t priority, uint32_t flags,
                        uint64_t *out_handle) noexcept;

} // namespace gs
