// SPDX-License-Identifier: Apache-2.0
// Ends a process whose main thread has called pthread_exit() once only the library's threads are left. These never
// return and block all signals: the process would stay until SIGKILL.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs {

// A part of the library with threads of its own. Never destroyed.
struct Service {
    // Returns true if it has no work and all its threads wait for some. That includes a service whose threads could
    // not be started. *turns has to change whenever one of the threads stops waiting.
    bool (*idle)(void *owner, uint64_t *turns) noexcept;
    void *owner;
    Service *next = nullptr;
    bool listed = false; // guarded by the owner
};

// Called before the service's first thread is started; again after a failed start.
Status add_service(Service &service) noexcept;

} // namespace gs
