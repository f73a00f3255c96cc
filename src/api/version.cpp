// SPDX-License-Identifier: Apache-2.0
#include "api/boundary.hpp"
#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "base/instances.hpp"
#include "base/log.hpp"
#include "core/fork_locks.hpp"

using namespace gs::api;

#define GS_TEXT_OF(x) #x
#define GS_TEXT(x) GS_TEXT_OF(x)

extern "C" {

uint32_t gs_version(void) { return GS_VERSION_MAJOR * 10000 + GS_VERSION_MINOR * 100 + GS_VERSION_PATCH; }

uint32_t gs_abi_version(void) { return GS_ABI_VERSION; }

const char *gs_version_string(void) {
    return GS_TEXT(GS_VERSION_MAJOR) "." GS_TEXT(GS_VERSION_MINOR) "." GS_TEXT(GS_VERSION_PATCH);
}

int32_t gs_instance_count(void) { return count_instances(); }

const char *gs_status_name(gs_status_t status) { return status_name(status); }

const char *gs_status_message(gs_status_t status) { return status_message(status); }

gs_status_t gs_last_error(gs_error_info_t *out_error) {
    // Bypasses the boundary: only a failure of this call itself may change the last error.
    if (!out_error) return GS_ERROR_INVALID_ARGUMENT;
    return read_last_error(out_error).code;
}

const char *gs_native_error_text(gs_backend_t backend, int32_t native) {
    const Backend *instance = backend_instance(backend);
    const char *text = instance ? instance->native_text(native) : nullptr;
    return text ? text : "unknown native error";
}

gs_status_t gs_set_log_callback(void (*fn)(void *arg, int32_t level, const char *text), void *arg) {
    // This may be the first call of all, in a child too. The next one that needs the handlers reports a refusal.
    notice_unprepared_fork();
    (void)guard_threads_in_fork();
    guard_locks_in_fork();
    set_log_function(fn, arg);
    return GS_OK;
}

} // extern "C"
