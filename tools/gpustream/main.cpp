// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gpustream.h>

#include "commands.hpp"

namespace {

constexpr char kUsage[] = "usage: gpustream info [--json] [--streams N]\n"
                          "       gpustream top [--interval SECONDS] [--rounds N]\n"
                          "       gpustream explain PROCESS|FILE\n"
                          "       gpustream --version\n"
                          "\n"
                          "info   devices of this process and GPUs of this machine; --streams N makes N\n"
                          "       streams of each device and lists those that wait for the first one\n"
                          "       because they share a hardware queue with it\n"
                          "top    load, memory access, memory, temperature, power and clock of each\n"
                          "       device, until interrupted or for N rounds\n"
                          "explain  what the streams of a process wait for, by its number; also after it has\n"
                          "       ended, by its log file (GPUSTREAM_LOG_FILE), or by a core file of a\n"
                          "       process that had a log in memory (GPUSTREAM_LOG)\n"
                          "\n"
                          "GPUSTREAM_BACKEND=NAME shows another backend; info lists those with devices.\n"
                          "Exit code: 1 without a device, if the process cannot be explained, or if the\n"
                          "output cannot be written; 2 for a wrong command line.\n";

constexpr long kMostStreams = 1024;

int wrong(const char *what) {
    std::fprintf(stderr, "gpustream: %s\n%s", what, kUsage);
    return 2;
}

bool positive(const char *text, double *out) {
    char *end = nullptr;
    *out = text ? std::strtod(text, &end) : 0;
    return text && end != text && *end == '\0' && *out > 0 && *out < 1e6;
}

// Whole numbers from 1 on.
bool count_of(const char *text, long *out) {
    if (!text || *text < '0' || *text > '9') return false;
    char *end = nullptr;
    errno = 0;
    *out = std::strtol(text, &end, 10);
    return errno == 0 && *end == '\0' && *out > 0;
}

// The output may still be in a buffer, and writing it may fail.
int with_output(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "gpustream: the output could not be written\n");
    return 1;
}

int run_info(int count, char **arguments) {
    command::InfoOptions options;
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(arguments[i], "--json") == 0) {
            options.as_json = true;
        } else if (std::strcmp(arguments[i], "--streams") == 0) {
            if (!count_of(i + 1 < count ? arguments[++i] : nullptr, &options.streams) || options.streams < 2 ||
                options.streams > kMostStreams)
                return wrong("info: --streams needs a whole number from 2 to 1024");
        } else {
            return wrong("info takes --json and --streams only");
        }
    }
    return command::info(options);
}

int run_top(int count, char **arguments) {
    command::TopOptions options;
    for (int i = 0; i < count; i += 2) {
        const char *value = i + 1 < count ? arguments[i + 1] : nullptr;
        if (std::strcmp(arguments[i], "--interval") == 0) {
            if (!positive(value, &options.interval_s)) return wrong("top: --interval needs a number above 0");
        } else if (std::strcmp(arguments[i], "--rounds") == 0) {
            if (!count_of(value, &options.rounds)) return wrong("top: --rounds needs a whole number above 0");
        } else {
            return wrong("top takes --interval and --rounds only");
        }
    }
    return command::top(options);
}

int run(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    if (std::strcmp(name, "info") == 0) return run_info(count - 2, arguments + 2);
    if (std::strcmp(name, "top") == 0) return run_top(count - 2, arguments + 2);
    if (std::strcmp(name, "explain") == 0)
        return count == 3 ? command::explain(arguments[2])
                          : wrong("explain takes a process, a log file or a core file");
    const bool version = std::strcmp(name, "--version") == 0;
    const bool help = std::strcmp(name, "--help") == 0 || std::strcmp(name, "-h") == 0;
    if ((version || help) && count > 2) return wrong("nothing may follow --version and --help");
    if (version) {
        std::printf("gpustream %s\n", gs_version_string());
        return 0;
    }
    if (help) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    return wrong(*name ? "there is no such command" : "a command is needed");
}

} // namespace

int main(int count, char **arguments) { return with_output(run(count, arguments)); }
