// SPDX-License-Identifier: Apache-2.0
#include "front/delays.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "base/own_file.hpp"
#include "base/text.hpp"
#include "front/run_settings.hpp"

namespace gs::front {

DelayPlan g_plan;

namespace {

uint64_t mixed(uint64_t value) noexcept {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

uint64_t hash_of(const CallName &name) noexcept {
    return mixed(mixed(mixed(mixed(g_plan.seed + 0x9E3779B97F4A7C15) + name.process) + name.thread) + name.call);
}

// In percent: the first hundred calls of a site always, then fewer and fewer. So a path that is taken six times in a run is met as
// well, and one that is taken a million times costs no more than it must.
uint64_t share_of(uint64_t nth) noexcept {
    constexpr uint64_t kAlways = 100, kLeast = 5;
    return nth <= kAlways ? 100 : 100 * kAlways / nth > kLeast ? 100 * kAlways / nth : kLeast;
}

bool read_line(const char *line) noexcept {
    unsigned long long process = 0, thread = 0, call = 0, us = 0;
    if (std::sscanf(line, "only %llu %llu %llu %llu", &process, &thread, &call, &us) == 4) {
        if (g_plan.chosen_count == DelayPlan::kMostChosen) return false;
        g_plan.chosen[g_plan.chosen_count++] = {{process, thread, call}, us};
        return true;
    }
    char word[16];
    unsigned long long value = 0;
    if (std::sscanf(line, "%15s %llu", word, &value) != 2) return false;
    const auto is = [&](const char *name) { return std::strcmp(word, name) == 0; };
    if (is("seed")) return g_plan.seed = value, true;
    if (is("stream")) return g_plan.stream = value, true;
    if (is("site")) return g_plan.site = value, true;
    if (is("uniform")) return g_plan.uniform = value != 0, true;
    if (is("hosts")) return g_plan.hosts = value != 0, true;
    if (is("follow")) return g_plan.follow = value != 0, true;
    return false;
}

} // namespace

bool read_delay_plan(const char *path) noexcept {
    const int fd = open_to_read(path);
    std::FILE *file = fd >= 0 ? fdopen(fd, "r") : nullptr;
    if (!file) return false;
    char line[256];
    bool understood = true;
    while (understood && std::fgets(line, sizeof line, file)) understood = read_line(line);
    std::fclose(file);
    return understood;
}

uint64_t delay_of(const CallName &name, uint64_t stream, uint64_t site, uint64_t nth) noexcept {
    for (size_t i = 0; i < g_plan.chosen_count; ++i) {
        const ChosenDelay &one = g_plan.chosen[i];
        if (one.name.process == name.process && one.name.thread == name.thread && one.name.call == name.call)
            return one.us;
    }
    const bool meant =
        g_plan.uniform || (g_plan.stream != 0 && g_plan.stream == stream) || (g_plan.site != 0 && g_plan.site == site);
    if (!meant) return 0;
    const uint64_t hash = hash_of(name);
    // Where any call may be late, few are at a time: delays on both sides of a missing wait hide it.
    const uint64_t percent = g_plan.uniform ? (nth <= 100 ? 25 : share_of(nth) / 4 + 1) : share_of(nth);
    return hash % 100 < percent ? uint64_t{1000} << (hash >> 32) % 4 : 0;
}

uint64_t host_delay_of(const CallName &name, uint64_t nth) noexcept {
    if (!g_plan.hosts || (name.thread + g_plan.seed) % 2 == 0) return 0;
    const uint64_t hash = mixed(hash_of(name));
    return hash % 100 < share_of(nth) / 4 ? 1000 + (hash >> 32) % 2000 : 0;
}

namespace {

int g_delay_fd = -1; // set when the library is loaded

} // namespace

uint64_t open_delay_file() noexcept {
    constexpr uint64_t kMostProcesses = 4096;
    char path[PATH_MAX + 32];
    const char *problem = nullptr;
    for (uint64_t number = 1; number <= kMostProcesses; ++number) {
        std::snprintf(path, sizeof path, "%s/%llu.delays", g_settings.folder, static_cast<unsigned long long>(number));
        g_delay_fd = open_own_file(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, &problem);
        if (g_delay_fd >= 0) {
            tell("process %s", program_invocation_short_name);
            return number;
        }
        if (errno != EEXIST) break;
    }
    log_message(GS_LOG_ERROR, "'%s' cannot be written: %s", path, problem);
    return 0;
}

void tell(const char *format, ...) noexcept {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    const size_t bytes = std::min(static_cast<size_t>(length < 0 ? 0 : length), sizeof text - 2);
    text[bytes] = '\0';
    make_printable(text, Lines::One);
    text[std::strlen(text)] = '\n';
    [[maybe_unused]] const ssize_t written =
        ::write(g_delay_fd, text, bytes + 1); // a full disk ends the run's report, not the program
}

} // namespace gs::front
