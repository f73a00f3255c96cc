// SPDX-License-Identifier: Apache-2.0
// The only file that names the concrete backends: which exist, which is the default, and their one-time start.
#pragma once

#include "backend/backend.hpp"

namespace gs {

// GS_BACKEND_HOST..: the instance, or nullptr when this build or the enumeration does not have it. Starts nothing.
Backend *backend_instance(gs_backend_t kind) noexcept;

// What GPUSTREAM_BACKEND and the probes choose; fixed for ever by the first start of the default backend.
// INVALID_ARGUMENT for an unknown name in the variable, UNAVAILABLE when the named backend is not in this build.
Status choose_default_backend(gs_backend_t *out) noexcept;

// Starts the backend on first use (thread-safe; the outcome and its detail are latched) and returns it.
// kind GS_BACKEND_DEFAULT: the chosen default, which becomes final.
Status start_backend(gs_backend_t kind, Backend **out) noexcept;
// Has it been started successfully?
bool backend_started(gs_backend_t kind) noexcept;
// As many devices as are known without starting anything: exact once started, 0 once the start has failed, since that is
// for good, else what the probe finds. 0 where there is no such backend.
int32_t known_device_count(gs_backend_t kind) noexcept;
// GS_BACKEND_DEFAULT until the default was fixed, then what it is.
gs_backend_t fixed_default_backend() noexcept;

Backend &host_backend() noexcept; // backend/host/host_backend.cpp
#if defined(GPUSTREAM_WITH_CUDA)
Backend &cuda_backend() noexcept; // backend/cuda/cuda_backend.cpp
#endif

} // namespace gs
