// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <gpustream.h>

#include "commands.hpp"
#include "table.hpp"

namespace {

constexpr char kUsage[] = "usage: gpustream info [--json] [--streams N]\n"
                          "       gpustream top [--interval SECONDS] [--rounds N]\n"
                          "       gpustream explain [--svg] PROCESS|FILE\n"
                          "       gpustream run [--stats] [--syncs] [--leaks] [--captures] [--log[=FILE]]\n"
                          "                     [--trace FILE [--device-times]] [--learn FILE]\n"
                          "                     [--check[=kernels] [--learnt FILE] [--error-exitcode N]]\n"
                          "                     [--simulate[=DEVICES]] [--kernel-time TIME]\n"
                          "                     [--kernels LIBRARY] -- PROGRAM [ARGUMENTS]\n"
                          "       gpustream shake [--runs N] [--seed S] [--compare-output] [--compare FILE]\n"
                          "                       [--json] [--simulate ...] -- COMMAND [ARGUMENTS]\n"
                          "       gpustream --version\n"
                          "\n"
                          "info   devices of this process and GPUs of this machine; --streams N makes N\n"
                          "       streams of each device and lists those that wait for the first one\n"
                          "       because they share a hardware queue with it\n"
                          "top    load, memory access, memory, temperature, power and clock of each\n"
                          "       device, until interrupted or for N rounds\n"
                          "explain  what the streams of a process wait for, by its number; also after it has\n"
                          "       ended, by its log file (GPUSTREAM_LOG_FILE), or by a core file of a\n"
                          "       process that had a log in memory (GPUSTREAM_LOG); --svg draws it, also\n"
                          "       from the text of a dump or of the checker's reports\n"
                          "run    starts any CUDA program with libgpustream's front in place of the driver:\n"
                          "       --stats counts its calls of the driver, --syncs says which block, --leaks\n"
                          "       what it has not given back, --captures which calls a capture forbids;\n"
                          "       --log keeps the log that explain reads; --trace writes its calls and what it\n"
                          "       put in streams as JSON for Perfetto, with --device-times when the device did\n"
                          "       it; --check reports accesses to memory that nothing orders, with =kernels\n"
                          "       those of kernels too, and --error-exitcode ends with N if there are any;\n"
                          "       --learn finds out what kernels write, for --check=kernels --learnt;\n"
                          "       --simulate needs no GPU: a simulated driver does all but kernels, which take\n"
                          "       TIME (10us) or run as functions of LIBRARY\n"
                          "shake  runs a command again and again (20 times) with delays on the device, to\n"
                          "       find waits that are missing: a run fails by its exit code or, if asked,\n"
                          "       if its output or a file differs; what was late and what overtook it are\n"
                          "       named. Exit code: 0 no run fails, 1 one does, 2 the plain one, 3 trouble,\n"
                          "       4 it passes, and no work in a stream was seen\n"
                          "\n"
                          "GPUSTREAM_BACKEND=NAME shows another backend; info lists those with devices.\n"
                          "Exit code: 1 without a device, if the process cannot be explained, or if the\n"
                          "output cannot be written; 2 for a wrong command line. For run it is that of the\n"
                          "program. It is 127 if that cannot start; 125 for a missing driver or a failure of\n"
                          "the checker.\n";

constexpr long kMostStreams = 1024;

// How many letters must be added, removed or changed to make one word of the other.
size_t distance(std::string_view one, std::string_view other) {
    std::vector<size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= one.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= other.size(); ++j) {
            const size_t changed = diagonal + (one[i - 1] != other[j - 1] ? 1 : 0);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
        }
    }
    return row.back();
}

int unknown(const char *what, const char *word, std::initializer_list<const char *> known) {
    command::report_unknown(what, word, known);
    return 2;
}

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
int with_output(int code, int trouble) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "gpustream: the output could not be written\n");
    return trouble;
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
            return unknown("option of info", arguments[i], {"--json", "--streams"});
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
            return unknown("option of top", arguments[i], {"--interval", "--rounds"});
        }
    }
    return command::top(options);
}

int run_explain(int count, char **arguments) {
    const char *first = count > 0 ? arguments[0] : "";
    const bool as_svg = std::strcmp(first, "--svg") == 0;
    if (!as_svg && std::strncmp(first, "--", 2) == 0) return unknown("option of explain", first, {"--svg"});
    return count == (as_svg ? 2 : 1) ? command::explain(arguments[count - 1], as_svg)
                                     : wrong("explain takes a process, a log file or a core file");
}

bool asks_for_help(const char *word) { return std::strcmp(word, "--help") == 0 || std::strcmp(word, "-h") == 0; }

bool is_command(const char *name) {
    constexpr const char *kCommands[] = {"info", "top", "explain", "run", "shake"};
    return std::any_of(std::begin(kCommands), std::end(kCommands),
                       [name](const char *one) { return std::strcmp(name, one) == 0; });
}

int run(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    if (asks_for_help(name) ? count == 2 : count == 3 && is_command(name) && asks_for_help(arguments[2])) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    if (std::strcmp(name, "info") == 0) return run_info(count - 2, arguments + 2);
    if (std::strcmp(name, "top") == 0) return run_top(count - 2, arguments + 2);
    if (std::strcmp(name, "run") == 0) return command::run(count - 2, arguments + 2);
    if (std::strcmp(name, "shake") == 0) return command::shake(count - 2, arguments + 2);
    if (std::strcmp(name, "explain") == 0) return run_explain(count - 2, arguments + 2);
    const bool version = std::strcmp(name, "--version") == 0;
    if ((version || asks_for_help(name)) && count > 2) return wrong("nothing may follow --version and --help");
    if (version) {
        std::printf("gpustream %s\n", gs_version_string());
        return 0;
    }
    if (!*name) return wrong("a command is needed");
    return unknown("command", name, {"info", "top", "explain", "run", "shake", "--version", "--help"});
}

} // namespace

void command::report_unknown(const char *what, const char *word, std::initializer_list<const char *> known) {
    const char *nearest = *std::min_element(known.begin(), known.end(), [word](const char *one, const char *other) {
        return distance(word, one) < distance(word, other);
    });
    std::fprintf(stderr, "gpustream: there is no %s '%s'", what, printable(word).c_str());
    if (distance(word, nearest) <= 2) std::fprintf(stderr, ": did you mean '%s'?", nearest);
    std::fprintf(stderr, " (gpustream --help lists all)\n");
}

int main(int count, char **arguments) {
    const bool shakes = count > 1 && std::strcmp(arguments[1], "shake") == 0; // whose 1 says that a run failed
    return with_output(run(count, arguments), shakes ? 3 : 1);
}
