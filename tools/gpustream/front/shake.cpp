// SPDX-License-Identifier: Apache-2.0
// `gpustream shake`: runs a command with delays on the device, to find waits that are missing.
#include "front/shake.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "commands.hpp"
#include "front/source_lines.hpp"

namespace command {
namespace {

enum Code { kNothingFound = 0, kFound = 1, kPlainFails = 2, kTrouble = 3, kNothingSeen = 4 };
constexpr int kConfirmations = 5;

int trouble(const std::string &what, Code code = kTrouble) {
    std::fprintf(stderr, "gpustream shake: %s\n", what.c_str());
    return code;
}

// First any call, then each stream late in turn, then each function in a stream; and again with other numbers. Delays of the host make
// races of the device rarer, so they are in every third run only.
std::string plan_of_run(long run, long seed, const ShakenRun &plain) {
    const auto round = static_cast<long>(1 + plain.streams + plain.sites);
    const long at = run % round, stream = at, site = at - static_cast<long>(plain.streams);
    std::string plan = "seed " + std::to_string(seed + run) + "\n";
    if (at == 0)
        plan += "uniform 1\n";
    else if (site <= 0)
        plan += "stream " + std::to_string(stream) + "\n";
    else
        plan += "site " + std::to_string(site) + "\n";
    if (run % 3 == 2) plan += "hosts 1\n";
    return plan;
}

void show_progress(const char *what, long run, long runs, double run_s) {
    if (!isatty(STDERR_FILENO)) return;
    constexpr long kWidth = 20;
    const long done = runs == 0 ? kWidth : kWidth * run / runs;
    std::fprintf(stderr, "\r[%.*s%.*s] %s, run %ld of %ld, %.0f s left   ", static_cast<int>(done),
                 "####################", static_cast<int>(kWidth - done), "                    ", what, run, runs,
                 run_s * static_cast<double>(runs - run));
    if (run == runs) std::fprintf(stderr, "\n");
}

Finding examine(Shaker &shaker, const ShakenRun &failed, const std::string &plan) {
    Finding finding;
    finding.first = failed;
    finding.plan = plan;
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, "\nit fails (%s): looking for the fewest delays\n", failed.failure.c_str());
    finding.calls = smallest_failing(shaker, failed.late);
    if (finding.calls.empty()) return finding;
    for (int i = 0; i < kConfirmations; ++i) {
        const ShakenRun run = shaker.run(plan_of(finding.calls) + "follow 1\n");
        ++finding.of;
        if (!run.failure.empty()) ++finding.fails;
        // The one that says most: a run may end before all that it could have told.
        const auto match = [](const ShakenRun &one) {
            return one.ahead.empty() ? -1 : static_cast<int>(one.ahead.back().match);
        };
        if (i == 0 || match(run) > match(finding.followed)) finding.followed = run;
    }
    for (LateCall &call : finding.followed.followed) call.callers = with_source_lines(call.callers);
    for (Overtaker &ahead : finding.followed.ahead) ahead.callers = with_source_lines(ahead.callers);
    finding.plain_of = 1 + 2; // the first one passed
    for (int i = 1; i < finding.plain_of; ++i)
        if (!shaker.run_plain().failure.empty()) ++finding.plain_fails;
    return finding;
}

int shake_program(const ShakeOptions &options) {
    Shaker shaker(options);
    if (!shaker.trouble().empty()) return trouble(shaker.trouble());
    const ShakenRun plain = shaker.run_plain();
    if (!plain.started) return trouble(plain.trouble);
    if (!plain.failure.empty()) return trouble("the program fails without any delay: " + plain.failure, kPlainFails);
    if (!options.compared_file.empty() && access(options.compared_file.c_str(), R_OK) != 0)
        return trouble("'" + options.compared_file +
                       "' of --compare cannot be read when the program has ended: " + std::strerror(errno));
    if (plain.processes == 0)
        return trouble("the program has opened the driver by another name than libcuda.so.1, or not at all",
                       kNothingSeen);
    if (plain.streams == 0) return trouble("the program put no work in any stream", kNothingSeen);
    for (long run = 0; run < options.runs; ++run) {
        show_progress("shaking", run, options.runs, plain.took_s * 2);
        const std::string plan = plan_of_run(run, options.seed, plain);
        const ShakenRun shaken = shaker.run(plan);
        if (!shaken.started) return trouble(shaken.trouble);
        if (shaken.failure.empty()) continue;
        const Finding finding = examine(shaker, shaken, plan);
        if (options.as_json)
            std::printf("%s\n", finding_json(&finding, plain, shaker).c_str());
        else
            print_finding(finding, plain, shaker);
        return kFound;
    }
    show_progress("done", options.runs, options.runs, 0);
    if (options.as_json)
        std::printf("%s\n", finding_json(nullptr, plain, shaker).c_str());
    else
        print_nothing_found(plain, shaker);
    return kNothingFound;
}

bool read_number(const char *text, long *out) {
    char *end = nullptr;
    *out = text ? std::strtol(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && *out > 0 && *out <= 1'000'000;
}

} // namespace

int shake(int count, char **arguments) {
    ShakeOptions options;
    int at = 0;
    for (; at < count && std::strncmp(arguments[at], "--", 2) == 0 && arguments[at][2] != '\0'; ++at) {
        const char *value = at + 1 < count ? arguments[at + 1] : nullptr;
        const auto is = [&](const char *name) { return std::strcmp(arguments[at], name) == 0; };
        std::string wrong;
        if (options.driver.take(count, arguments, &at, &wrong)) continue;
        if (!wrong.empty()) return trouble(wrong);
        if (is("--json")) {
            options.as_json = true;
        } else if (is("--compare-output")) {
            options.compares_output = true;
        } else if (is("--runs") || is("--seed")) {
            if (!read_number(value, is("--runs") ? &options.runs : &options.seed))
                return trouble(std::string(arguments[at]) + " needs a whole number from 1 to 1000000");
            ++at;
        } else if (is("--compare")) {
            if (!value || std::strcmp(value, "--") == 0) return trouble("--compare needs a file");
            options.compared_file = value;
            ++at;
        } else {
            report_unknown("option of shake", arguments[at],
                           {"--runs", "--seed", "--json", "--compare-output", "--compare", "--simulate",
                            "--kernel-time", "--kernels"});
            return kTrouble;
        }
    }
    if (at < count && std::strcmp(arguments[at], "--") == 0) ++at;
    if (at == count) return trouble("a command is needed: gpustream shake [OPTIONS] -- COMMAND [ARGUMENTS]");
    options.program = arguments + at;
    return shake_program(options);
}

} // namespace command
