// SPDX-License-Identifier: Apache-2.0
// The meaning of the driver's error codes: names and texts, which of them are final for a context, and the status of
// each.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "base/status.hpp"

namespace gs::cuda {

// "NAME: text"; nullptr for a code that we do not know.
const char *find_error_text(int32_t code) noexcept;
const char *error_text(int32_t code) noexcept; // that one, or "unknown CUDA error: text"

// After one of these every later call in the context fails the same way.
bool is_sticky(CUresult result) noexcept;
// Codes that may mean that other code destroyed or reset the context.
bool hints_at_lost_context(CUresult result) noexcept;

// The status of a code by itself, without looking at any device. invalid_value: what code 1 means for this call.
gs_status_t plain_status(CUresult result, gs_status_t invalid_value) noexcept;

// What CUDA_ERROR_INVALID_VALUE means for a question about an event that exists, or a wait for it: its last record was part of a
// capture that has ended.
inline constexpr gs_status_t kLastRecordWasCaptured = GS_ERROR_CAPTURING;

struct FailedCall {
    const char *function;
    gs_status_t invalid_value = GS_ERROR_DRIVER; // what CUDA_ERROR_INVALID_VALUE means here
};

// For a failed call before there is a device, or one that concerns no device. It latches nothing (map_error() does). CUDA_ERROR_NOT_READY becomes NOT_READY without detail.
Status map_error_no_device(CUresult result, FailedCall call) noexcept __attribute__((cold));
// NOT_SUPPORTED: the driver lacks an optional function; names it.
Status fail_absent(const char *function) noexcept __attribute__((cold));
// Failures of start(): stub and missing devices get their UNAVAILABLE reasons.
Status fail_start(CUresult result, const char *function) noexcept __attribute__((cold));
// Capture codes with advice; also used where this library saw the capture itself and made no call.
Status fail_capturing(CUresult result, const char *function) noexcept __attribute__((cold));

} // namespace gs::cuda
