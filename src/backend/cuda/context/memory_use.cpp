// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/memory_use.hpp"

#include <cstdio>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "base/last_error.hpp"

namespace gs::cuda {

Status memory_from_driver(ThreadBlock &thread, Device &device, gs_telemetry_t *out) noexcept {
    char reason[256]; // the new record would overwrite the text it is made from
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    if (thread.callback_depth > 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "%s; a host function must not call the CUDA driver, which could report it",
                    reason);
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing(device, &present));
    if (!present)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "%s; the CUDA driver could report it inside a context, which device %d does not have yet "
                    "(creating a stream there makes one)",
                    reason, device.ordinal);
    size_t free_bytes = 0, total_bytes = 0;
    FailedCall call{g_driver.mem_get_info.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.mem_get_info(thread, &free_bytes, &total_bytes); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    inventory::set_memory(total_bytes - free_bytes, free_bytes, total_bytes, out);
    return kOk;
}

} // namespace gs::cuda
