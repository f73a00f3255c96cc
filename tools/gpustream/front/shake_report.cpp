// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "front/shake.hpp"
#include "table.hpp"

namespace command {
namespace {

constexpr const char *kMatches[] = {"what memory it uses is unknown", "in the same allocation", "at the same address"};

std::string place(const std::string &symbol, uint64_t stream) {
    return symbol + " in stream " + std::to_string(stream);
}

// With the callers that a run which follows it has found.
LateCall with_callers(LateCall call, const ShakenRun &run) {
    for (const LateCall &one : run.followed)
        if (one.process == call.process && one.thread == call.thread && one.call == call.call)
            call.callers = one.callers;
    return call;
}

void print_late(const LateCall &call) {
    std::printf("  late:  %s, call %llu of thread %llu of process %llu, by %.0f ms\n         at %s\n",
                place(call.symbol, call.stream).c_str(), static_cast<unsigned long long>(call.call),
                static_cast<unsigned long long>(call.thread), static_cast<unsigned long long>(call.process),
                static_cast<double>(call.us) / 1000,
                call.callers.empty() ? "a place that was not reached again" : call.callers.c_str());
}

void print_ahead(const Finding &finding) {
    const LateCall &late = finding.calls.back();
    if (finding.followed.ahead.empty()) {
        std::printf(
            "  No call in another stream followed before a thread waited for it: the host may have gone on too early,\n"
            "  and read, written or freed memory of the late call.\n");
        return;
    }
    const Overtaker &ahead = finding.followed.ahead.back();
    std::printf("  ahead: %s, %s\n         at %s\n", place(ahead.symbol, ahead.stream).c_str(),
                kMatches[ahead.match % 3], ahead.callers.c_str());
    std::printf(
        "  Nothing orders the second behind the first. An event that stream %llu records behind the first, and that\n"
        "  stream %llu waits for ahead of the second, does.\n",
        static_cast<unsigned long long>(late.stream), static_cast<unsigned long long>(ahead.stream));
}

void print_coverage(const ShakenRun &plain, const Shaker &shaker) {
    std::printf("  %d runs; %llu streams, %llu functions in streams, %llu processes", shaker.runs(),
                static_cast<unsigned long long>(plain.streams), static_cast<unsigned long long>(plain.sites),
                static_cast<unsigned long long>(plain.processes));
    if (shaker.refused() != 0)
        std::printf("; %llu delays were refused", static_cast<unsigned long long>(shaker.refused()));
    std::printf(".\n");
}

std::string call_json(const LateCall &call) {
    JsonObject object;
    object.add_text("function", call.symbol).add_number("stream", call.stream).add_number("process", call.process);
    object.add_number("thread", call.thread).add_number("call", call.call).add_number("microseconds", call.us);
    return object.add_text("at", call.callers).str();
}

} // namespace

void print_finding(const Finding &finding, const ShakenRun &plain, const Shaker &shaker) {
    std::printf("gpustream shake: with delays the program fails (%s), without it does not\n",
                finding.first.failure.c_str());
    if (finding.calls.empty()) {
        std::printf(
            "  The same delays once more made it pass, so they cannot be narrowed down. The plan was:\n%s",
            finding.plan.c_str());
    } else {
        for (const LateCall &call : finding.calls) print_late(with_callers(call, finding.followed));
        print_ahead(finding);
        std::printf("  With these delays alone it failed in %d of %d runs, without delays in %d of %d.\n",
                    finding.fails, finding.of, finding.plain_fails, finding.plain_of);
    }
    print_coverage(plain, shaker);
}

void print_nothing_found(const ShakenRun &plain, const Shaker &shaker) {
    std::printf("gpustream shake: no run failed\n");
    print_coverage(plain, shaker);
}

std::string finding_json(const Finding *finding, const ShakenRun &plain, const Shaker &shaker) {
    JsonObject object;
    object.add_flag("found", finding != nullptr).add_number("runs", shaker.runs()).add_number("streams", plain.streams);
    object.add_number("refused", shaker.refused())
        .add_number("sites", plain.sites)
        .add_number("processes", plain.processes);
    if (!finding) return object.str();
    object.add_text("failure", finding->first.failure).add_text("plan", finding->plan);
    std::vector<std::string> late, ahead;
    for (const LateCall &call : finding->calls) late.push_back(call_json(with_callers(call, finding->followed)));
    if (!finding->followed.ahead.empty()) {
        const Overtaker &one = finding->followed.ahead.back();
        JsonObject overtaker;
        overtaker.add_text("function", one.symbol).add_number("stream", one.stream).add_text("at", one.callers);
        ahead.push_back(overtaker.add_number("match", one.match).str());
    }
    object.add("late", json_list(late)).add("ahead", json_list(ahead));
    object.add_number("fails", finding->fails).add_number("of", finding->of);
    return object.add_number("plain_fails", finding->plain_fails).add_number("plain_of", finding->plain_of).str();
}

} // namespace command
