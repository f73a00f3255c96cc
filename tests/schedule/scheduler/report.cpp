// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/report.hpp"

#include <dlfcn.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gs::schedule {
namespace {

std::string &banner() {
    static std::string text;
    return text;
}
std::string (*g_details)() = nullptr;

void print(const char *why, const std::string &details) {
    std::fprintf(stderr, "%s: %s\n%s", banner().c_str(), why, details.c_str());
    std::fflush(stderr);
}

void on_crash(int signal) {
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    print(signal == SIGABRT ? "abort" : "crash", g_details());
    raise(signal);
}

} // namespace

void set_banner(const std::string &text) { banner() = text; }

void give_up(const char *why, const std::string &details) {
    print(why, details);
    std::_Exit(1);
}

void catch_aborts(std::string (*details)()) {
    g_details = details;
    struct sigaction action{};
    action.sa_handler = on_crash;
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL}) sigaction(signal, &action, nullptr);
}

void trace_point(const std::string &what, const void *code, const std::string &options, size_t chosen) {
    std::fprintf(stderr, "%s %s, of%s: number %zu\n", what.c_str(), source_of(code).c_str(), options.c_str(), chosen);
}

std::string source_of(const void *code) {
    Dl_info info{};
    if (!code || dladdr(code, &info) == 0 || !info.dli_fbase) return "";
    const auto offset = static_cast<const char *>(code) - static_cast<const char *>(info.dli_fbase);
    char command[512];
    std::snprintf(command, sizeof command, "addr2line -i -e '%s' %#zx 2>/dev/null", info.dli_fname,
                  static_cast<size_t>(offset - 1));
    std::string best;
    if (FILE *lines = popen(command, "r")) {
        char line[512];
        while (std::fgets(line, sizeof line, lines)) { // the innermost call comes first
            line[std::strcspn(line, " \n")] = '\0';
            const char *source = std::strstr(line, "/src/");
            if (!source) source = std::strstr(line, "/tests/");
            if (!source) continue;
            best = source + 1;
            break;
        }
        pclose(lines);
    }
    if (!best.empty()) return best;
    std::snprintf(command, sizeof command, "+%#zx", static_cast<size_t>(offset));
    return command;
}

} // namespace gs::schedule
