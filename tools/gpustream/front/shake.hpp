// SPDX-License-Identifier: Apache-2.0
// What `gpustream shake` runs, and what it learns from each run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "front/front_folder.hpp"
#include "front/launch.hpp"

namespace command {

struct ShakeOptions {
    long runs = 20;
    long seed = 1;
    bool as_json = false;
    bool compares_output = false;
    std::string compared_file; // "": none
    ChosenDriver driver;
    char **program = nullptr;
};

// A call of the program's, as src/front/delays.hpp writes it.
struct LateCall {
    uint64_t process = 0, thread = 0, call = 0, us = 0, stream = 0;
    std::string symbol, callers; // callers: if it was followed
};
struct Overtaker {
    uint64_t match = 0, stream = 0; // match: 2 the same address, 1 the same allocation, 0 unknown
    std::string symbol, callers;
};
struct ShakenRun {
    bool started = false;
    std::string failure; // "": it did as the plain run
    std::string trouble; // it could not be run
    double took_s = 0;
    std::string output; // of stdout, if it is compared
    std::string compared;
    uint64_t processes = 0, streams = 0, sites = 0, refused = 0;
    std::vector<LateCall> late;
    std::vector<LateCall> followed;
    std::vector<Overtaker> ahead; // each matches better than the one before
};

// Runs the program again and again.
class Shaker {
public:
    explicit Shaker(const ShakeOptions &options);
    const std::string &trouble() const { return trouble_; } // it cannot run anything
    ShakenRun run_plain();                                  // first; the others are compared with it
    ShakenRun run(const std::string &plan);                 // lines as src/front/delays.hpp has them
    int runs() const { return runs_; }
    uint64_t refused() const { return refused_; } // delays that the driver did not take, of all runs

private:
    ShakenRun run_once(const std::string &plan);
    void judge(ShakenRun &run, const Ended &ended) const;
    void end_if_asked(); // the end of a run that the user ended says nothing

    const ShakeOptions &options_;
    const off_t input_; // where the runs begin to read; below 0: it is no file
    int asked_to_end_ = 0;
    std::string trouble_, front_, driver_;
    bool has_plain_ = false;
    double plain_s_ = 0;
    std::string plain_output_, plain_compared_;
    int runs_ = 0;
    uint64_t refused_ = 0;
};

// The smallest set of delays that still fails, as far as a bounded number of runs finds it. Empty: they did not fail again.
std::vector<LateCall> smallest_failing(Shaker &shaker, const std::vector<LateCall> &all);
std::string plan_of(const std::vector<LateCall> &calls);

struct Finding {
    ShakenRun first;             // that failed
    std::string plan;            // of that run
    std::vector<LateCall> calls; // that are enough; empty: it did not fail again
    ShakenRun followed;
    int fails = 0, of = 0, plain_fails = 0, plain_of = 0;
};
void print_finding(const Finding &finding, const ShakenRun &plain, const Shaker &shaker);
void print_nothing_found(const ShakenRun &plain, const Shaker &shaker);
std::string finding_json(const Finding *finding, const ShakenRun &plain, const Shaker &shaker);

} // namespace command
