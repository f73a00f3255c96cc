// SPDX-License-Identifier: Apache-2.0
// The raw current stream, for callers that pass it on at once.
#pragma once

#include "core/thread/thread_state.hpp"

namespace gs {

// Of the calling thread on a device; the followed library's if one is. Marks ours as given out.
Status current_native(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t *out_native) noexcept;

// As DLPack wants it. Starts no backend.
Status work_stream(ThreadBlock &thread, int32_t device_type, int32_t device_id, void **out_stream) noexcept;

} // namespace gs
