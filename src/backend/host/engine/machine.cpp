// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/machine.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gs::host {
namespace {

// The beginning of a file as text; false when it is absent or empty.
bool read_text(const char *path, char *out, size_t size) noexcept {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t used = 0;
    while (used + 1 < size) {
        const ssize_t got = read(fd, out + used, size - 1 - used);
        if (got <= 0) break;
        used += static_cast<size_t>(got);
    }
    close(fd);
    out[used] = '\0';
    return used > 0;
}

uint64_t fnv1a(const char *text, uint64_t hash) noexcept {
    for (; *text != '\0' && *text != '\n'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
    return hash;
}

// The value of the first line "key<blanks>: value".
bool cpuinfo_value(const char *key, char *out, size_t size) noexcept {
    char text[4096];
    if (!read_text("/proc/cpuinfo", text, sizeof text)) return false; // one-sided: every machine of ours has it
    const char *line = std::strstr(text, key);
    const char *colon = line ? std::strchr(line, ':') : nullptr; // one-sided: as the machine has it
    if (!colon) return false;                                    // one-sided: as the machine has it
    ++colon;
    while (*colon == ' ') ++colon;
    const size_t length = std::strcspn(colon, "\n");
    std::snprintf(out, size, "%.*s", static_cast<int>(length), colon);
    return out[0] != '\0';
}

} // namespace

uint64_t second_level_cache_in(const char *folder) noexcept {
    for (int index = 0; index < 8; ++index) {
        char path[256], text[32];
        std::snprintf(path, sizeof path, "%s/index%d/level", folder, index);
        if (!read_text(path, text, sizeof text)) return 0; // after the last cache
        if (std::strtol(text, nullptr, 10) != 2) continue;
        std::snprintf(path, sizeof path, "%s/index%d/size", folder, index);
        if (!read_text(path, text, sizeof text)) return 0;
        char *unit = nullptr;
        const unsigned long long size = std::strtoull(text, &unit, 10); // "2048K"
        return *unit == 'M' ? size << 20 : *unit == 'K' ? size << 10 : size;
    }
    return 0;
}

uint64_t physical_memory_bytes() noexcept {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return uint64_t{1} << 32; // one-sided: glibc always knows both
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
}

int32_t usable_processors() noexcept {
    cpu_set_t set;
    // one-sided: fails above 1,024 processors only
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    // not reached: needs more than 1,024 processors
    const long online = sysconf(_SC_NPROCESSORS_ONLN);    // more processors than the set can name
    return online > 0 ? static_cast<int32_t>(online) : 1; // not reached: needs more than 1,024 processors
}

int32_t processor_clock_khz() noexcept {
    char text[64];
    // one-sided: as the machine has it
    if (read_text("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", text, sizeof text))
        return static_cast<int32_t>(std::strtol(text, nullptr, 10)); // not reached: virtual machines lack such a file
    if (cpuinfo_value("cpu MHz", text, sizeof text))                 // one-sided: as the machine has it
        return static_cast<int32_t>(std::strtol(text, nullptr, 10)) * 1000; // whole MHz: no locale's decimal point
    return 0;
}

uint64_t second_level_cache_bytes() noexcept {
#if defined(_SC_LEVEL2_CACHE_SIZE) // of glibc, which knows it on x86
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0) return static_cast<uint64_t>(bytes); // one-sided: as the machine has it
#endif
    return second_level_cache_in("/sys/devices/system/cpu/cpu0/cache"); // not reached: glibc knows it on x86
}

void processor_name(char *out, size_t size) noexcept {
    if (cpuinfo_value("model name", out, size)) return; // one-sided: as the machine has it
    utsname system{};
    uname(&system);
    std::snprintf(out, size, "%s CPU", system.machine);
}

bool device_uuid(int32_t ordinal, uint8_t (&out)[16]) noexcept {
    char id[128];
    if (!read_text("/etc/machine-id", id, sizeof id) && !read_text("/var/lib/dbus/machine-id", id, sizeof id)) {
        utsname system{};
        if (uname(&system) != 0 || system.nodename[0] == '\0') return false;
        std::snprintf(id, sizeof id, "%s", system.nodename);
    }
    char seed[160];
    std::snprintf(seed, sizeof seed, "gpustream host %d %.*s", ordinal, static_cast<int>(std::strcspn(id, "\n")), id);
    const uint64_t halves[2] = {fnv1a(seed, 0xcbf29ce484222325u), fnv1a(seed, 0x84222325cbf29ce4u)};
    std::memcpy(out, halves, sizeof out);
    out[6] = static_cast<uint8_t>((out[6] & 0x0f) | 0x80);
    out[8] = static_cast<uint8_t>((out[8] & 0x3f) | 0x80);
    return true;
}

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
    char *end = nullptr;                                    // not reached: virtual machines lack such files
    *out = std::strtol(text, &end, 10);                     // not reached: virtual machines lack such files
    return end != text;                                     // not reached: virtual machines lack such files
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
        if (!found || celsius > *out) *out = celsius; // not reached: virtual machines lack a thermal zone
        found = true;                                 // not reached: virtual machines lack a thermal zone
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
