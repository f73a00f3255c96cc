// SPDX-License-Identifier: Apache-2.0
// The options of `gpustream run --simulate`, which GPUSTREAM_RUN has among the front's settings.
#include <cstdlib>
#include <cstring>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "simulated/driver_call.hpp"

namespace gs::simulated {

__attribute__((weak)) void configure_for_tests() {}

namespace {

__attribute__((constructor)) void read_settings() {
    World &w = world();
    if (const char *devices = run_setting("simulated-devices")) {
        w.devices = std::atoi(devices);
        w.hides_devices = true;
    }
    if (const char *time = run_setting("kernel-ns")) w.kernel_time_ns = std::atoll(time);
    const char *path = run_setting("kernels");
    const std::string kernels = path ? std::string(path, std::strcspn(path, ";")) : "";
    if (!kernels.empty() && !open_library(kernels.c_str(), &w.kernel_library).ok())
        log_message(GS_LOG_ERROR, "simulated driver: the library of kernels cannot be opened: %s", pending_text());
    configure_for_tests();
    w.configured.store(true, std::memory_order_release);
}

} // namespace
} // namespace gs::simulated
