// SPDX-License-Identifier: Apache-2.0
// The calls on the current stream and device while the process is in a rare state: forked, or with bridges. In all other
// processes they have a shorter way.
#pragma once

#include "gpustream.h"

namespace gs::api::bridged {

gs_status_t current_stream(const char *function, gs_device_t device, gs_stream_t *out_stream) noexcept;
gs_status_t set(const char *function, gs_stream_t stream) noexcept;
gs_status_t exchange(const char *function, gs_stream_t stream, gs_stream_t *out_previous) noexcept;
gs_status_t push(const char *function, gs_stream_t stream, uint64_t *out_scope) noexcept;
gs_status_t pop(const char *function, uint64_t scope) noexcept;
gs_status_t unwind(const char *function, uint64_t scope) noexcept;

gs_status_t current_device(const char *function, gs_device_t *out_device) noexcept;
gs_status_t set_device(const char *function, gs_device_t device) noexcept;
gs_status_t exchange_device(const char *function, gs_device_t device, gs_device_t *out_previous) noexcept;

} // namespace gs::api::bridged
