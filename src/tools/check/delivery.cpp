// SPDX-License-Identifier: Apache-2.0
#include "tools/check/delivery.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/log.hpp"
#include "base/own_file.hpp"
#include "base/text.hpp"
#include "base/thread_block.hpp"
#include "core/seam/core_services.hpp"
#include "tools/call_stack.hpp"
#include "tools/check/suppressions.hpp"
#include "tools/tool_locks.hpp"

namespace gs::check {
namespace {

struct Sink {
    ReportFunction fn = nullptr;
    void *arg = nullptr;
};

Sink g_report_sink GS_GUARDED_BY(g_delivery_mutex);
std::atomic<int> g_json_file{-1};
std::atomic<const Suppressions *> g_suppressions{nullptr}; // never freed: another thread may be reading them

Status read_file(const char *path, std::string *out) {
    const int file = open_to_read(path);
    if (file < 0) return fail_system("open", errno, "cannot open the suppressions '%s'", path);
    char piece[4096];
    ssize_t got = 0;
    while ((got = read(file, piece, sizeof piece)) > 0) out->append(piece, static_cast<size_t>(got));
    const int error = errno;
    close(file);
    return got == 0 ? kOk : fail_system("read", error, "cannot read the suppressions '%s'", path);
}

Status load_suppressions() {
    const char *path = env_text(Variable::CheckSuppressions);
    if (!path || *path == '\0' || g_suppressions.load(std::memory_order_acquire)) return kOk;
    std::string text;
    GS_TRY(read_file(path, &text));
    Suppressions read;
    GS_TRY(parse_suppressions(text, &read));
    const Suppressions *kept = new Suppressions(std::move(read));
    const Suppressions *none = nullptr;
    if (!g_suppressions.compare_exchange_strong(none, kept, std::memory_order_acq_rel)) delete kept;
    return kOk;
}

Status open_json() noexcept {
    const char *path = env_text(Variable::CheckJson);
    if (!path || *path == '\0' || g_json_file.load(std::memory_order_acquire) >= 0) return kOk;
    const char *problem = nullptr;
    const int file = open_own_file(path, O_WRONLY | O_CREAT | O_APPEND, &problem);
    if (file < 0) return fail_system("open", errno, "cannot open '%s' for reports: %s", path, problem);
    int none = -1;
    if (!g_json_file.compare_exchange_strong(none, file, std::memory_order_acq_rel)) close(file);
    return kOk;
}

// One write keeps the reports of several threads and processes whole.
void write_whole(int file, const std::string &text) noexcept {
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t now = write(file, text.data() + written, text.size() - written);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) {
            if (file != STDERR_FILENO)
                log_message(GS_LOG_WARNING, "a report could not be written to %s", name_of(Variable::CheckJson));
            return;
        }
        written += static_cast<size_t>(now);
    }
}

void report(const std::string &text, const std::string &json) noexcept {
    Sink sink;
    {
        MutexLock lock(g_delivery_mutex);
        sink = g_report_sink;
    }
    if (!sink.fn) return write_whole(STDERR_FILENO, "gpustream: " + text);
    call_application([&] { sink.fn(sink.arg, text.c_str(), json.c_str()); });
}

} // namespace

void set_report_function(ReportFunction fn, void *arg) noexcept {
    guard_tool_locks();
    MutexLock lock(g_delivery_mutex);
    g_report_sink = {fn, arg};
}

Status prepare_delivery() noexcept {
    try {
        GS_TRY(load_suppressions());
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the suppressions");
    }
    return open_json();
}

void deliver(Race &race, bool abort_after) noexcept {
    // The memory of a loaded file stays what it is.
    if (race.may_have_moved && !code_address(race.later.access.begin).file) return;
    try {
        race.earlier.stack = describe_call_site(race.earlier.site);
        race.later.stack = describe_call_site(race.later.site);
        const Suppressions *suppressions = g_suppressions.load(std::memory_order_acquire);
        if (suppressions && is_suppressed(*suppressions, race)) return;
        const std::string text = printable(race_as_text(race));
        const std::string json = printable(race_as_json(race));
        if (const int file = g_json_file.load(std::memory_order_acquire); file >= 0) write_whole(file, json + "\n");
        report(text, json);
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_ERROR, "a race was found, but there is no memory for the report");
    }
    if (abort_after) std::abort();
}

} // namespace gs::check
