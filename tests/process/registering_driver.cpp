// SPDX-License-Identifier: Apache-2.0
// A driver, without functions, that registers fork handlers when it is loaded, while another thread forks: it needs the lock
// that some C libraries hold while handlers run.
#include <unistd.h>

#include <cstdlib>

#include "process/fork_rendezvous.hpp"

namespace {

__attribute__((constructor)) void load() {
    const char *text = std::getenv(gs::test::kForkRendezvous);
    if (!text) return;
    auto &meeting = *reinterpret_cast<gs::test::ForkRendezvous *>(std::strtoull(text, nullptr, 16));
    meeting.loading = true;
    while (!meeting.forking) usleep(50);
    pthread_mutex_lock(&meeting.handlers);
    pthread_mutex_unlock(&meeting.handlers);
}

} // namespace
