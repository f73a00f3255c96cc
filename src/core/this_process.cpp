// SPDX-License-Identifier: Apache-2.0
#include "core/this_process.hpp"

#include <cerrno>

#include "base/mutex.hpp"

namespace gs {
namespace {

Mutex g_identity_mutex;
ProcessIdentity g_identity GS_GUARDED_BY(g_identity_mutex);

} // namespace

Status this_process(ProcessIdentity *out) noexcept {
    MutexLock lock(g_identity_mutex);
    if (g_identity.pid == 0 && !own_identity(&g_identity)) {                    // one-sided: every Linux has /proc
        g_identity.pid = 0;                                                     // not reached: every Linux has /proc
        return fail_system("open", ENOENT, "what processes share needs /proc"); // not reached: every Linux has /proc
    }
    *out = g_identity;
    return kOk;
}

} // namespace gs
