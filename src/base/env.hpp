// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables.
//
// getenv() may crash when another thread changes the environment at the same time. So the library reads it only until the
// first backend starts: freeze_environment() then keeps the values of that moment, and later questions are answered from
// them.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs {

// Every variable that the library knows.
enum class Variable : int {
    Backend,           // GPUSTREAM_BACKEND
    HostDevices,       // GPUSTREAM_HOST_DEVICES
    HostWorkers,       // GPUSTREAM_HOST_WORKERS
    ShmDir,            // GPUSTREAM_SHM_DIR
    TokenLease,        // GPUSTREAM_TOKEN_LEASE_MS
    Elide,             // GPUSTREAM_ELIDE
    Wait,              // GPUSTREAM_WAIT
    WaitCpu,           // GPUSTREAM_WAIT_CPU
    Check,             // GPUSTREAM_CHECK
    CheckJson,         // GPUSTREAM_CHECK_JSON
    CheckSuppressions, // GPUSTREAM_CHECK_SUPPRESSIONS
    Log,               // GPUSTREAM_LOG
    LogFile,           // GPUSTREAM_LOG_FILE
    DumpSignal,        // GPUSTREAM_DUMP_SIGNAL
    DumpOn,            // GPUSTREAM_DUMP_ON
    DumpFile,          // GPUSTREAM_DUMP_FILE
    Syncs,             // GPUSTREAM_SYNCS
    NvtxInjection,     // NVTX_INJECTION64_PATH
    Leaks,             // GPUSTREAM_LEAKS
    Poison,            // GPUSTREAM_POISON
    Run,               // GPUSTREAM_RUN
    LibCuda,           // GPUSTREAM_LIBCUDA
    LibNvml,           // GPUSTREAM_LIBNVML
    CudaVisible,       // CUDA_VISIBLE_DEVICES
    CudaOrder,         // CUDA_DEVICE_ORDER
};
inline constexpr int kVariables = static_cast<int>(Variable::CudaOrder) + 1;

const char *name_of(Variable variable) noexcept;

// nullptr when unset. In a process with raised privileges (setuid and the like) so is every variable that loads code, names a
// file, or shows addresses, which the process's caller may not see.
const char *env_text(Variable variable) noexcept;
// A decimal integer within [least, greatest]; fallback when the variable is unset. Logs and ignores a malformed value.
int64_t env_number(Variable variable, int64_t fallback, int64_t least, int64_t greatest) noexcept;
// Numbers that are asked for late, perhaps never: freeze_environment() warns of malformed ones.
struct EnvNumber {
    Variable variable;
    int64_t fallback, least, greatest;
};
inline constexpr EnvNumber kElideNumber{Variable::Elide, 1, 0, 1};
inline constexpr EnvNumber kWaitCpuNumber{Variable::WaitCpu, 15, 1, 100};
inline constexpr EnvNumber kPoisonNumber{Variable::Poison, 0, 0, 1};
inline constexpr EnvNumber kTokenLeaseNumber{Variable::TokenLease, 60000, 0, 86400000};
int64_t env_number(const EnvNumber &number) noexcept;
// The variable as it is now, frozen or not. For a start that makes another library read it at the same moment.
const char *env_now(Variable variable) noexcept;

// What stands behind "name=" in GPUSTREAM_RUN, up to a ';' or the end; nullptr where it has no such part.
const char *run_setting(const char *name) noexcept;

// The first call keeps the values, which then never change. OUT_OF_MEMORY: nothing was kept, and the next call tries
// again.
Status freeze_environment() noexcept;

} // namespace gs
