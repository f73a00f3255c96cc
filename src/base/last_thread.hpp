// SPDX-License-Identifier: Apache-2.0
// Ends a process whose main thread has called pthread_exit() once only the library's threads are left. These never
// return and block all signals: the process would stay until SIGKILL.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock.hpp"
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

// A service of one thread, which runs from its first use until the process ends.
class ServiceThread {
public:
    // name and run: as start_thread() has them. idle: as above, with the same owner.
    constexpr ServiceThread(const char *name, void (*run)(void *), bool (*idle)(void *, uint64_t *) noexcept,
                            void *owner) noexcept
        : name_(name), run_(run), service_{idle, owner} {}

    bool is_started() const noexcept { return started_.load(std::memory_order_acquire); }
    Status ensure_started() noexcept { return is_started() ? kOk : start(); }

private:
    Status start() noexcept;

    const char *name_;
    void (*run_)(void *);
    std::atomic<bool> started_{false};
    Mutex mutex_;
    Service service_;
};

} // namespace gs
