// SPDX-License-Identifier: Apache-2.0
// Where a thread that loads a driver and one that forks meet. The driver finds it by an address in its environment.
#pragma once

#include <pthread.h>

#include <atomic>

namespace gs::test {

inline constexpr char kForkRendezvous[] = "GS_TEST_FORK_RENDEZVOUS";

struct ForkRendezvous {
    std::atomic<bool> loading{false};
    std::atomic<bool> forking{false};
    pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER; // as a C library locks its list of fork handlers
};

} // namespace gs::test
