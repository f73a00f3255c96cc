// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/once_result.hpp"

namespace gs {
namespace {

struct Entry {
    OnceResult start;
};

Entry g_host;
Entry g_cuda;
std::atomic<gs_backend_t> g_fixed_default{GS_BACKEND_DEFAULT};

Entry *entry_of(gs_backend_t kind) noexcept {
    switch (kind) {
    case GS_BACKEND_HOST: return &g_host;
    case GS_BACKEND_CUDA: return &g_cuda;
    default: return nullptr;
    }
}

Status start_one(Backend &backend, Entry &entry) noexcept {
    if (entry.start.done_ok()) return kOk;
    // Armed before any lock is taken: a fork meanwhile must not leave the child a locked library that looks healthy.
    arm_bad_fork();
    bool started_here = false;
    const Status status = entry.start.run([&]() noexcept {
        const Status outcome = backend.start();
        started_here = outcome.ok();
        return outcome;
    });
    if (!started_here) disarm_bad_fork();
    return status;
}

} // namespace

Backend *backend_instance(gs_backend_t kind) noexcept {
    switch (kind) {
    case GS_BACKEND_HOST: return &host_backend();
#if defined(GPUSTREAM_WITH_CUDA)
    case GS_BACKEND_CUDA: return &cuda_backend();
#endif
    default: return nullptr;
    }
}

Status choose_default_backend(gs_backend_t *out) noexcept {
    if (const gs_backend_t fixed = fixed_default_backend(); fixed != GS_BACKEND_DEFAULT) {
        *out = fixed;
        return kOk;
    }
    const char *name = env_text("GPUSTREAM_BACKEND");
    if (!name || *name == '\0' || std::strcmp(name, "auto") == 0) {
        *out = known_device_count(GS_BACKEND_CUDA) > 0 ? GS_BACKEND_CUDA : GS_BACKEND_HOST;
        return kOk;
    }
    if (std::strcmp(name, "host") == 0) {
        *out = GS_BACKEND_HOST;
        return kOk;
    }
    if (std::strcmp(name, "cuda") == 0) {
        *out = GS_BACKEND_CUDA;
        return kOk;
    }
    return fail(GS_ERROR_INVALID_ARGUMENT, "GPUSTREAM_BACKEND='%s' is none of host, cuda, auto", name);
}

Status start_backend(gs_backend_t kind, Backend **out) noexcept {
    const bool as_default = kind == GS_BACKEND_DEFAULT;
    if (as_default) GS_TRY(choose_default_backend(&kind));
    Backend *backend = backend_instance(kind);
    Entry *entry = entry_of(kind);
    if (!backend || !entry)
        return fail_unavailable(GS_REASON_NO_LIBRARY, kind, "this build of gpustream has no %s backend",
                                kind == GS_BACKEND_CUDA  ? "cuda"
                                : kind == GS_BACKEND_HIP ? "hip"
                                                         : "such");
    Status status = start_one(*backend, *entry);
    // Streams of a host backend that runs already have nothing to do with the driver, and go on.
    if (status.code == GS_ERROR_BAD_FORK && !backend_started(GS_BACKEND_HOST)) enter_bad_fork();
    const char *name = env_text("GPUSTREAM_BACKEND");
    const bool automatic = !name || *name == '\0' || std::strcmp(name, "auto") == 0;
    if (!status.ok() && status.code != GS_ERROR_BAD_FORK && as_default && automatic && kind == GS_BACKEND_CUDA) {
        // The probe saw a library and device nodes, yet the driver cannot be used: auto means host then.
        kind = GS_BACKEND_HOST;
        backend = backend_instance(kind);
        status = start_one(*backend, g_host);
    }
    GS_TRY(status);
    if (as_default) {
        gs_backend_t expected = GS_BACKEND_DEFAULT;
        if (!g_fixed_default.compare_exchange_strong(expected, kind)) backend = backend_instance(expected);
    }
    *out = backend;
    return kOk;
}

bool backend_started(gs_backend_t kind) noexcept {
    const Entry *entry = entry_of(kind);
    return entry && entry->start.done_ok();
}

int32_t known_device_count(gs_backend_t kind) noexcept {
    Backend *backend = backend_instance(kind);
    const Entry *entry = entry_of(kind);
    if (!backend || !entry) return 0;
    if (entry->start.done_ok()) return backend->device_count();
    // A child forked too late cannot start it, but what there is remains to be told.
    const gs_status_t failure = entry->start.failure();
    return failure == GS_OK || failure == GS_ERROR_BAD_FORK ? backend->probe_device_count() : 0;
}

gs_backend_t fixed_default_backend() noexcept { return g_fixed_default.load(std::memory_order_acquire); }

} // namespace gs
