// SPDX-License-Identifier: Apache-2.0
#include "core/this_process.hpp"

#include <cerrno>

#include "base/lock.hpp"

namespace gs {
namespace {

Mutex g_identity_mutex;
ProcessIdentity g_identity GS_GUARDED_BY(g_identity_mutex);

} // namespace

Status this_process(ProcessIdentity *out) noexcept {
    MutexLock lock(g_identity_mutex);
    if (g_identity.pid == 0 && !own_identity(&g_identity)) {
        g_identity.pid = 0;
        return fail_system("open", errno, "what processes share is named after /proc/self/stat, which cannot be read");
    }
    *out = g_identity;
    return kOk;
}

} // namespace gs
