// SPDX-License-Identifier: Apache-2.0
#include "tools/check/race.hpp"

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
#include "tools/tool_locks.hpp"

namespace gs::check {
namespace {

struct Prefix {
    const char *text;
    Suppression::Of of;
};
constexpr Prefix kPrefixes[] = {
    {"label:", Suppression::Of::Label}, {"stream:", Suppression::Of::Stream}, {"stack:", Suppression::Of::Stack}};

// '*' and '?' only: names of C++ functions and labels have brackets and backslashes, which fnmatch() takes for more. After a
// mismatch the last '*' takes one byte more, which is enough: those before it have what they need.
bool matches(const std::string &pattern, const std::string &text) noexcept {
    if (text.empty()) return false;
    size_t at = 0, in = 0, star = std::string::npos, tried = 0;
    while (in < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            tried = in;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in])) {
            ++in;
            if (pattern[at++] == '?') // all bytes of a character
                while (in < text.size() && (static_cast<unsigned char>(text[in]) & 0xC0) == 0x80) ++in;
        } else if (star != std::string::npos) {
            at = star + 1;
            in = ++tried;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string::npos;
}

bool matches(const Suppression &one, const RaceSide &side) noexcept {
    if (one.of == Suppression::Of::Label) return matches(one.pattern, side.label);
    if (one.of == Suppression::Of::Stream) return matches(one.pattern, side.stream_name);
    for (const std::string &frame : side.stack)
        if (matches(one.pattern, frame)) return true;
    return false;
}

bool parse_line(std::string line, Suppressions *out) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.pop_back();
    if (line.empty() || line.front() == '#') return true;
    for (const Prefix &prefix : kPrefixes) {
        if (line.rfind(prefix.text, 0) != 0) continue;
        std::string pattern = line.substr(std::char_traits<char>::length(prefix.text));
        if (pattern.empty()) return false;
        out->push_back({prefix.of, std::move(pattern)});
        return true;
    }
    return false;
}

} // namespace

Status parse_suppressions(const std::string &text, Suppressions *out) {
    size_t begin = 0;
    for (int number = 1; begin < text.size(); ++number) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        if (!parse_line(text.substr(begin, end - begin), out))
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "line %d of the suppressions needs label:, stream: or stack:, and a pattern behind it", number);
        begin = end + 1;
    }
    return kOk;
}

bool is_suppressed(const Suppressions &all, const Race &race) noexcept {
    for (const Suppression &one : all)
        if (matches(one, race.earlier) || matches(one, race.later)) return true;
    return false;
}

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
