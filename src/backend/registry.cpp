// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/once_result.hpp"
#include "base/status.hpp"

namespace gs {

constinit std::atomic<gs_backend_t> g_fixed_default{GS_BACKEND_DEFAULT};

namespace {

constinit OnceResult g_starts[kBackendKinds];

const BackendRow &row_of(gs_backend_t kind) noexcept { return backend_rows()[static_cast<size_t>(kind - 1)]; }

OnceResult &start_of(gs_backend_t kind) noexcept { return g_starts[kind - 1]; }

gs_backend_t fallback_kind() noexcept {
    for (const BackendRow &row : backend_rows()) // one-sided: every build has a fallback
        if (row.role == BackendRole::Fallback) return row.kind;
    return GS_BACKEND_DEFAULT; // not reached: every build has a fallback
}

// The name that GPUSTREAM_BACKEND asks for, nullptr for auto.
const char *wanted_name() noexcept {
    const char *name = env_text(Variable::Backend);
    return name && *name != '\0' && std::strcmp(name, "auto") != 0 ? name : nullptr;
}

gs_backend_t best_kind() noexcept {
    for (const BackendRow &row : backend_rows())
        if (row.role == BackendRole::Accelerator && known_device_count(row.kind) > 0) return row.kind;
    return fallback_kind();
}

Status fail_unknown_name(const char *name) noexcept {
    char known[128] = "";
    size_t used = 0;
    for (const BackendRow &row : backend_rows())
        if (row.role != BackendRole::Reserved && used < sizeof known)
            used += static_cast<size_t>(std::snprintf(known + used, sizeof known - used, "%s, ", row.name));
    return fail(GS_ERROR_INVALID_ARGUMENT, "GPUSTREAM_BACKEND='%s' is none of %sauto", name, known);
}

Status start_one(Backend &backend, OnceResult &start) noexcept {
    if (start.done_ok()) return kOk;
    // Armed before any lock is taken: else a child that is forked during the start would have a locked library that
    // looks healthy.
    arm_bad_fork();
    bool started_here = false;
    const Status status = start.run([&]() noexcept {
        Status outcome = freeze_environment();
        if (outcome.ok()) outcome = backend.start();
        started_here = outcome.ok();
        return outcome;
    });
    if (!started_here) disarm_bad_fork();
    return status;
}

// The reason why auto did not take the accelerator, as a failure; OK where that is no surprise.
Status why_not(const BackendRow &row) noexcept {
    OnceResult &start = start_of(row.kind);
    if (start.failure() != GS_OK) return start.run([]() noexcept { return kOk; }); // returns that failure again
    if (!row.driver_node || access(row.driver_node, F_OK) != 0) return kOk;
    if (!row.instance) return fail_unavailable(GS_REASON_NOT_BUILT, row.kind, "this build has no %s backend", row.name);
    return row.no_device();
}

void log_fallback(const BackendRow &fallback) noexcept {
    for (const BackendRow &row : backend_rows())
        if (row.role == BackendRole::Accelerator && !why_not(row).ok())
            log_message(GS_LOG_WARNING, "the default backend is %s: %s; GPUSTREAM_BACKEND=%s silences this",
                        fallback.name, pending_text(), fallback.name);
}

} // namespace

Backend *backend_instance(gs_backend_t kind) noexcept {
    if (!is_backend_kind(kind)) return nullptr;
    const BackendRow &row = row_of(kind);
    return row.instance ? &row.instance() : nullptr;
}

Status choose_default_backend(gs_backend_t *out) noexcept {
    if (const gs_backend_t fixed = fixed_default_backend(); fixed != GS_BACKEND_DEFAULT) {
        *out = fixed;
        return kOk;
    }
    const char *name = wanted_name();
    if (!name) {
        *out = best_kind();
        return kOk;
    }
    for (const BackendRow &row : backend_rows()) {
        if (row.role == BackendRole::Reserved || std::strcmp(name, row.name) != 0) continue;
        *out = row.kind;
        return kOk;
    }
    return fail_unknown_name(name);
}

Status is_accelerator_available(bool *out) noexcept {
    gs_backend_t kind = GS_BACKEND_DEFAULT;
    GS_TRY(choose_default_backend(&kind));
    const BackendRow &row = row_of(kind);
    const char *name = wanted_name();
    const bool by_name = name && std::strcmp(name, row.name) == 0;
    *out = known_device_count(kind) > 0 && (row.role != BackendRole::Fallback || by_name);
    return kOk;
}

Status start_backend(gs_backend_t kind, Backend **out) noexcept {
    const bool as_default = kind == GS_BACKEND_DEFAULT;
    if (as_default) GS_TRY(choose_default_backend(&kind));
    Backend *backend = backend_instance(kind);
    if (!backend)
        return fail_unavailable(GS_REASON_NOT_BUILT, kind, "this build of gpustream has no %s backend",
                                is_backend_kind(kind) ? row_of(kind).name : "such");
    Status status = start_one(*backend, start_of(kind));
    const gs_backend_t fallback = fallback_kind();
    // Streams of a fallback that runs already do not depend on the driver, and go on.
    if (status.code == GS_ERROR_BAD_FORK && !backend_started(fallback)) enter_bad_fork();
    if (!status.ok() && status.code != GS_ERROR_BAD_FORK && as_default && !wanted_name() && kind != fallback) {
        // The probe saw a library and device nodes, yet the driver cannot be used: auto means the fallback then.
        kind = fallback;
        backend = backend_instance(kind);
        status = start_one(*backend, start_of(kind));
    }
    GS_TRY(status);
    if (as_default) {
        gs_backend_t expected = GS_BACKEND_DEFAULT;
        if (!g_fixed_default.compare_exchange_strong(expected, kind))
            backend = backend_instance(expected);
        else if (kind == fallback && !wanted_name())
            log_fallback(row_of(fallback));
    }
    *out = backend;
    return kOk;
}

int32_t dlpack_type_of(gs_backend_t kind) noexcept { return row_of(kind).dlpack_type; }

gs_backend_t backend_of_dlpack(int32_t type) noexcept {
    for (const BackendRow &row : backend_rows())
        if (row.dlpack_type == type) return row.kind;
    return GS_BACKEND_DEFAULT;
}

bool backend_started(gs_backend_t kind) noexcept { return is_backend_kind(kind) && start_of(kind).done_ok(); }

bool any_backend_started() noexcept {
    for (const BackendRow &row : backend_rows())
        if (backend_started(row.kind)) return true;
    return false;
}

int32_t known_device_count(gs_backend_t kind) noexcept {
    Backend *backend = backend_instance(kind);
    if (!backend) return 0;
    const OnceResult &start = start_of(kind);
    if (start.done_ok()) return backend->device_count();
    // A child forked too late cannot start the backend, but the probe still works there.
    const gs_status_t failure = start.failure();
    return failure == GS_OK || failure == GS_ERROR_BAD_FORK ? backend->probe_device_count() : 0;
}

} // namespace gs
