// SPDX-License-Identifier: Apache-2.0
#include "tools/leaks/leaks.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/rare_state.hpp"
#include "base/text.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

pid_t g_leaks_process = 0; // set before the function at exit
std::atomic<FindLeaks> g_leak_parts[2];
void (*g_write_leaks)(std::string_view text) noexcept = nullptr; // likewise

void write_all(std::string_view text) noexcept {
    for (size_t at = 0; at < text.size();) {
        const ssize_t done = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return; // at the exit no caller is left that could get an error
        at += static_cast<size_t>(done);
    }
}

std::string leaks_text() {
    std::string summary, lines;
    for (const auto &find : g_leak_parts) {
        const FindLeaks present = find.load(std::memory_order_relaxed);
        const LeakPart part = present ? present() : LeakPart{};
        if (part.count == 0) continue;
        summary += (summary.empty() ? "" : ", ") + part.summary;
        lines += part.lines;
    }
    return summary.empty() ? summary : "gpustream: live at exit: " + summary + "\n" + lines;
}

void report_leaks() {
    if (getpid() != g_leaks_process) return; // a forked child
    try {
        g_write_leaks(printable(leaks_text()));
    } catch (const std::bad_alloc &) {
        g_write_leaks("gpustream: no memory to report what is live at exit\n");
    }
}

} // namespace

void read_leaks_environment() noexcept {
    if (env_number(Variable::Leaks, 0, 0, 1) != 0) watch_leaks();
}

void watch_leaks(void (*write)(std::string_view text) noexcept) noexcept {
    g_leaks_process = getpid();
    g_write_leaks = write ? write : write_all;
    if (std::atexit(report_leaks) == 0)
        g_rare_state.fetch_or(kRareBirths, std::memory_order_relaxed);
    else
        log_message(GS_LOG_WARNING, "the system has no memory for a function at exit, which would report leaks");
}

bool reports_leaks() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareBirths) != 0; }

void add_leaks(Leaks which, FindLeaks find) noexcept {
    g_leak_parts[static_cast<size_t>(which)].store(find, std::memory_order_relaxed);
}

std::string count_text(size_t count, const char *what) { return decimal(count) + " " + what + (count == 1 ? "" : "s"); }

Maker this_maker() {
    ThreadBlock *thread = this_thread();
    return {thread ? os_id(*thread) : 0, capture_call_stack()};
}

std::string frame_lines(const Maker &maker) {
    std::string lines;
    for (const std::string &frame : describe_call_stack(maker.frames)) lines += "    " + frame + "\n";
    return lines;
}

void warn_of_unknown_maker() noexcept {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true, std::memory_order_relaxed))
        log_message(GS_LOG_WARNING,
                    "no memory to remember who made an object or allocated memory: the report at exit lacks it");
}

} // namespace gs
