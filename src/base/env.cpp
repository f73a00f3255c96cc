// SPDX-License-Identifier: Apache-2.0
#include "base/env.hpp"

#include <sys/auxv.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "base/lock.hpp"
#include "base/log.hpp"

namespace gs {
namespace {

constexpr const char *kNames[] = {
    "GPUSTREAM_BACKEND",
    "GPUSTREAM_HOST_DEVICES",
    "GPUSTREAM_HOST_WORKERS",
    "GPUSTREAM_SHM_DIR",
    "GPUSTREAM_TOKEN_LEASE_MS",
    "GPUSTREAM_ELIDE",
    "GPUSTREAM_WAIT",
    "GPUSTREAM_WAIT_CPU",
    "GPUSTREAM_CHECK",
    "GPUSTREAM_CHECK_JSON",
    "GPUSTREAM_CHECK_SUPPRESSIONS",
    "GPUSTREAM_LOG",
    "GPUSTREAM_LOG_FILE",
    "GPUSTREAM_DUMP_SIGNAL",
    "GPUSTREAM_DUMP_ON",
    "GPUSTREAM_DUMP_FILE",
    "GPUSTREAM_SYNCS",
    "NVTX_INJECTION64_PATH",
    "GPUSTREAM_LEAKS",
    "GPUSTREAM_POISON",
    "GPUSTREAM_RUN",
    "GPUSTREAM_LIBCUDA",
    "GPUSTREAM_LIBNVML",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
};
static_assert(sizeof kNames / sizeof *kNames == kVariables);

struct Values {
    char *text[kVariables]; // nullptr: unset
};

Mutex g_env_mutex;
std::atomic<const Values *> g_frozen{nullptr}; // set once, immortal

bool copy_all(Values &values) noexcept {
    for (int i = 0; i < kVariables; ++i) {
        const char *now = std::getenv(kNames[i]);
        values.text[i] = now ? strdup(now) : nullptr;
        if (now && !values.text[i]) return false;
    }
    return true;
}

} // namespace

const char *name_of(Variable variable) noexcept { return kNames[static_cast<int>(variable)]; }

const char *env_now(Variable variable) noexcept { return std::getenv(name_of(variable)); }

namespace {

// These change how the library works. All others load code, name a file, or show addresses.
bool is_for_all(Variable variable) noexcept {
    switch (variable) {
    case Variable::Backend:
    case Variable::HostDevices:
    case Variable::HostWorkers:
    case Variable::TokenLease:
    case Variable::Elide:
    case Variable::Wait:
    case Variable::WaitCpu:
    case Variable::Poison:
    case Variable::CudaVisible:
    case Variable::CudaOrder: return true;
    default: return false;
    }
}

} // namespace

const char *env_text(Variable variable) noexcept {
    if (getauxval(AT_SECURE) != 0 && !is_for_all(variable)) return nullptr;
    if (const Values *values = g_frozen.load(std::memory_order_acquire))
        return values->text[static_cast<int>(variable)];
    return env_now(variable);
}

namespace {

int64_t read_number(const EnvNumber &number, bool warns) noexcept {
    const auto [variable, fallback, least, greatest] = number;
    const char *text = env_text(variable);
    if (!text || *text == '\0') return fallback;
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    const bool whole = *end == '\0';
    if (errno == 0 && whole && value >= least && value <= greatest) return value;
    if (warns)
        log_message(GS_LOG_WARNING, "%s='%s' is not a number from %lld to %lld; using %lld", name_of(variable), text,
                    static_cast<long long>(least), static_cast<long long>(greatest), static_cast<long long>(fallback));
    return fallback;
}

} // namespace

int64_t env_number(Variable variable, int64_t fallback, int64_t least, int64_t greatest) noexcept {
    return read_number({variable, fallback, least, greatest}, true);
}

int64_t env_number(const EnvNumber &number) noexcept {
    return read_number(number, g_frozen.load(std::memory_order_acquire) == nullptr);
}

const char *run_setting(const char *name) noexcept {
    const size_t length = std::strlen(name);
    for (const char *part = env_text(Variable::Run); part && *part != '\0';) {
        if (std::strncmp(part, name, length) == 0 && part[length] == '=') return part + length + 1;
        part = std::strchr(part, ';');
        if (part) ++part;
    }
    return nullptr;
}

Status freeze_environment() noexcept {
    if (g_frozen.load(std::memory_order_acquire)) return kOk;
    for (const EnvNumber &number : {kElideNumber, kWaitCpuNumber, kPoisonNumber, kTokenLeaseNumber}) env_number(number);
    MutexLock lock(g_env_mutex);
    if (g_frozen.load(std::memory_order_relaxed)) return kOk;
    auto *values = new (std::nothrow) Values{};
    if (values && copy_all(*values)) {
        g_frozen.store(values, std::memory_order_release);
        return kOk;
    }
    if (values)
        for (char *text : values->text) std::free(text);
    delete values;
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to keep the environment");
}

} // namespace gs
