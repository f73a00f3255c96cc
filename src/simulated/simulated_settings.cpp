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

// "": it is not set.
std::string setting(const char *name) {
    const char *all = env_text(Variable::Run);
    const std::string text = all ? std::string(";") + all + ";" : "", wanted = std::string(";") + name + "=";
    const size_t at = text.find(wanted);
    if (at == std::string::npos) return "";
    const size_t begin = at + wanted.size();
    return text.substr(begin, text.find(';', begin) - begin);
}

__attribute__((constructor)) void read_settings() {
    World &w = world();
    if (const std::string devices = setting("simulated-devices"); !devices.empty()) {
        w.devices = std::atoi(devices.c_str());
        w.hides_devices = true;
    }
    if (const std::string time = setting("kernel-ns"); !time.empty()) w.kernel_time_ns = std::atoll(time.c_str());
    const std::string kernels = setting("kernels");
    if (!kernels.empty() && !open_library(kernels.c_str(), &w.kernel_library).ok())
        log_message(GS_LOG_ERROR, "simulated driver: the library of kernels cannot be opened: %s", pending_text());
    configure_for_tests();
    w.configured.store(true, std::memory_order_release);
}

} // namespace
} // namespace gs::simulated
