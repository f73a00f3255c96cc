// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "front/shake.hpp"

namespace command {
namespace {

// SYMBOL|CALLERS is the rest of a line.
void split(std::istringstream &line, std::string *symbol, std::string *callers) {
    std::string rest;
    std::getline(line >> std::ws, rest);
    const size_t bar = rest.find('|');
    *symbol = rest.substr(0, bar);
    *callers = bar == std::string::npos ? "" : rest.substr(bar + 1);
}

void read_line(const std::string &text, ShakenRun &run) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    LateCall call;
    uint64_t site = 0;
    if (word == "site") {
        line >> site >> call.stream;
        run.sites = std::max(run.sites, site);
        run.streams = std::max(run.streams, call.stream);
    } else if (word == "delay") {
        line >> call.process >> call.thread >> call.call >> call.us >> call.stream >> site >> call.symbol;
        run.late.push_back(call);
    } else if (word == "late") {
        line >> call.process >> call.thread >> call.call >> call.stream;
        split(line, &call.symbol, &call.callers);
        run.followed.push_back(call);
        run.ahead.clear(); // the last late call's
    } else if (word == "ahead") {
        Overtaker ahead;
        line >> ahead.match >> ahead.stream;
        split(line, &ahead.symbol, &ahead.callers);
        run.ahead.push_back(ahead);
    } else if (word == "refused") {
        uint64_t refused = 0;
        line >> refused;
        run.refused += refused;
    } else if (word == "process") {
        ++run.processes;
    }
}

} // namespace

std::string plan_of(const std::vector<LateCall> &calls) {
    std::string plan;
    for (const LateCall &call : calls)
        plan += "only " + std::to_string(call.process) + " " + std::to_string(call.thread) + " " +
                std::to_string(call.call) + " " + std::to_string(call.us) + "\n";
    return plan;
}

Shaker::Shaker(const ShakeOptions &options) : options_(options), input_(lseek(STDIN_FILENO, 0, SEEK_CUR)) {
    front_ = front_folder(&trouble_);
    if (trouble_.empty()) driver_ = options.driver.path(&trouble_);
}

ShakenRun Shaker::run_once(const std::string &plan) {
    ShakenRun run;
    const RunFolder folder(&run.trouble);
    if (!run.trouble.empty()) return run;
    const std::string plan_file = folder.path() + "/plan";
    if (!(std::ofstream(plan_file) << plan).flush()) {
        run.trouble = "'" + plan_file + "' cannot be written";
        return run;
    }
    Launch launch;
    launch.program = options_.program;
    launch.front = front_;
    launch.driver = driver_;
    launch.is_simulated = options_.driver.is_simulated();
    launch.folder = folder.path();
    launch.settings = "delays=" + plan_file + ";" + options_.driver.settings();
    launch.is_quiet = has_plain_; // what a plain run writes is the user's
    launch.prints_to_stderr = options_.as_json;
    // Each run reads a file from its beginning. Of a pipe the first one would leave nothing to the others.
    launch.has_input = input_ >= 0;
    if (launch.has_input) lseek(STDIN_FILENO, input_, SEEK_SET);
    launch.output = has_plain_ || options_.compares_output ? folder.path() + "/output" : "";
    // Delays of a process end after 20 seconds: one that runs longer than this hangs.
    if (has_plain_) launch.limit_s = 60 + 10 * plain_s_;
    const Ended ended = run_program(launch);
    ++runs_;
    asked_to_end_ = ended.asked_to_end;
    run.started = ended.started;
    run.trouble = ended.trouble;
    run.took_s = ended.took_s;
    if (options_.compares_output) run.output = text_of_file(launch.output);
    if (!options_.compared_file.empty()) run.compared = text_of_file(options_.compared_file);
    for (const std::string &file : folder.files(".delays")) {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) read_line(line, run);
    }
    refused_ += run.refused;
    judge(run, ended);
    return run;
}

void Shaker::judge(ShakenRun &run, const Ended &ended) const {
    if (ended.timed_out)
        run.failure = "it did not end";
    else if (ended.ended_by != 0)
        run.failure = "it was ended by signal " + std::to_string(ended.ended_by);
    else if (ended.code != 0)
        run.failure = "exit code " + std::to_string(ended.code);
    else if (has_plain_ && run.output != plain_output_)
        run.failure = "its output differs from the plain run's";
    else if (has_plain_ && run.compared != plain_compared_)
        run.failure = "'" + options_.compared_file + "' differs from the plain run's";
}

// Only once run_once() has removed its folder.
void Shaker::end_if_asked() {
    if (const int number = std::exchange(asked_to_end_, 0)) std::raise(number);
}

ShakenRun Shaker::run_plain() {
    ShakenRun run = this->run("");
    if (has_plain_) return run;
    has_plain_ = true;
    plain_s_ = run.took_s;
    plain_output_ = run.output;
    plain_compared_ = run.compared;
    return run;
}

ShakenRun Shaker::run(const std::string &plan) {
    ShakenRun run = run_once(plan);
    end_if_asked();
    return run;
}

} // namespace command
