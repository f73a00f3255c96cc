// SPDX-License-Identifier: Apache-2.0
#include "backend/host/machine_load.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backend/host/engine/machine.hpp"

namespace gs::host {
namespace {

constexpr int kMostZones = 64;

bool read_start(const char *path, char *out, size_t size) noexcept {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t got = read(fd, out, size - 1);
    close(fd);
    if (got <= 0) return false; // one-sided: the files of /proc and /sys are not empty
    out[got] = '\0';
    return true;
}

bool read_whole_number(const char *path, long *out) noexcept {
    char text[32];
    if (!read_start(path, text, sizeof text)) return false; // one-sided: as the machine has it
    char *end = nullptr;                                    // not reached: virtual machines have no such files
    *out = std::strtol(text, &end, 10);                     // not reached: virtual machines have no such files
    return end != text;                                     // not reached: virtual machines have no such files
}

// "<key>   <number> kB" of /proc/meminfo.
bool kilobytes(const char *text, const char *key, uint64_t *out) noexcept {
    const char *line = std::strstr(text, key);
    if (!line) return false; // one-sided: the kernel writes the file so
    *out = std::strtoull(line + std::strlen(key), nullptr, 10) * 1024;
    return true;
}

} // namespace

bool load_percent(int32_t *out) noexcept {
    double load = 0;
    if (getloadavg(&load, 1) != 1) return false; // one-sided: fails without /proc only
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const double processors = online > 0 ? static_cast<double>(online) : 1.0; // one-sided: glibc always knows it
    *out = static_cast<int32_t>(std::clamp(100.0 * load / processors, 0.0, 100.0) + 0.5);
    return true;
}

bool machine_memory(MachineMemory *out) noexcept {
    char text[1024]; // both lines are among the first three
    MachineMemory memory{};
    // one-sided: every Linux has /proc
    if (!read_start("/proc/meminfo", text, sizeof text) || !kilobytes(text, "MemTotal:", &memory.total) ||
        !kilobytes(text, "MemAvailable:", &memory.available)) // one-sided: the kernel writes the file so
        return false;
    memory.available = std::min(memory.available, memory.total);
    *out = memory;
    return memory.total > 0;
}

bool warmest_zone_celsius(int32_t *out) noexcept {
    bool found = false;
    for (int zone = 0; zone < kMostZones; ++zone) {
        char path[64];
        std::snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/temp", zone);
        long thousandths = 0;
        if (!read_whole_number(path, &thousandths)) continue; // one-sided: as the machine has it
        const auto celsius = static_cast<int32_t>(thousandths / 1000);
        if (!found || celsius > *out) *out = celsius; // not reached: virtual machines have no thermal zone
        found = true;                                 // not reached: virtual machines have no thermal zone
    }
    return found;
}

bool present_clock_mhz(int32_t *out) noexcept {
    long khz = 0;
    if (!read_whole_number("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", &khz)) khz = processor_clock_khz();
    *out = static_cast<int32_t>(khz / 1000);
    return khz > 0;
}

} // namespace gs::host
