// SPDX-License-Identifier: Apache-2.0
// Memory of the devices and pinned memory of the host. Both are memory of the process.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

namespace gpustream_torch {

// The memory is freed after the work that the stream has when its last tensor ends.
void record_stream(const c10::DataPtr &pointer, const c10::Stream &stream);

c10::Allocator *pinned_allocator();
bool is_pinned(const void *pointer);

} // namespace gpustream_torch
